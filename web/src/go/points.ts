/** Points of a board: `row * size + column`, rows from the top. Their names are as players say them: `D5`, `T19`. */

const LETTERS = "ABCDEFGHJKLMNOPQRST";

/** The letter of a column, from the left. */
export function columnName(column: number): string {
  return LETTERS[column] ?? "?";
}

/** The name of a point. */
export function pointName(point: number, size: number): string {
  return columnName(point % size) + (size - Math.floor(point / size));
}

/** The point of a name, or null when the name is none on this board. */
export function parsePoint(text: string, size: number): number | null {
  const match = /^\s*([A-HJ-Ta-hj-t])\s*(\d{1,2})\s*$/.exec(text);
  if (!match?.[1]) return null;
  const column = LETTERS.indexOf(match[1].toUpperCase());
  const row = size - Number(match[2]);
  if (column < 0 || column >= size || row < 0 || row >= size) return null;
  return row * size + column;
}

/** The star points of a board, as they are drawn. */
export function starPoints(size: number): number[] {
  if (size < 7) return size === 5 ? [12] : [];
  const low = size < 13 ? 2 : 3;
  const high = size - 1 - low;
  const middle = (size - 1) / 2;
  const odd = size % 2 === 1;
  const lines = size >= 15 && odd ? [low, middle, high] : [low, high];
  const stars = lines.flatMap((row) => lines.map((column) => row * size + column));
  const centre = middle * size + middle;
  return odd && !stars.includes(centre) ? [...stars, centre] : stars;
}

/** Where the stones of a fixed handicap stand, as the Go Text Protocol (version 2, section 4.1.1) has them. */
export function handicapPoints(size: number, stones: number): number[] {
  if (![9, 13, 19].includes(size) || stones < 2 || stones > 9) return [];
  const low = size < 13 ? 2 : 3;
  const high = size - 1 - low;
  const middle = (size - 1) / 2;
  const around = [
    [low, low],
    [high, high],
    [low, high],
    [high, low],
    [low, middle],
    [high, middle],
    [middle, low],
    [middle, high],
  ];
  const centre = stones >= 5 && stones % 2 === 1;
  const chosen = around.slice(0, stones - (centre ? 1 : 0));
  if (centre) chosen.push([middle, middle]);
  return chosen.map(([column = 0, row = 0]) => (size - 1 - row) * size + column);
}
