/** Where things are on the drawing: one cell is ten units wide. */

export const CELL = 10;
/** From the drawing's edge to the first line, with coordinates and without. */
const MARGIN = { large: 12, wide: 10, narrow: 7.5 };

/** A drawing of a board. */
export interface Drawing {
  size: number;
  margin: number;
  /** The side of the whole drawing. */
  side: number;
}

export function drawing(size: number, coordinates: boolean): Drawing {
  const margin = !coordinates ? MARGIN.narrow : size > 9 ? MARGIN.large : MARGIN.wide;
  return { size, margin, side: 2 * margin + (size - 1) * CELL };
}

/** The middle of a column or row. */
export function along({ margin }: Drawing, line: number): number {
  return margin + line * CELL;
}

/** The middle of a point. */
export function place(on: Drawing, point: number): { x: number; y: number } {
  return { x: along(on, point % on.size), y: along(on, Math.floor(point / on.size)) };
}

/** The point that lies under a position of the pointer, given as fractions of the drawing; null beside the board. */
export function pointUnder(on: Drawing, x: number, y: number): number | null {
  const line = (fraction: number) => Math.round((fraction * on.side - on.margin) / CELL);
  const [column, row] = [line(x), line(y)];
  const inside = column >= 0 && row >= 0 && column < on.size && row < on.size;
  return inside ? row * on.size + column : null;
}

/** The point that an arrow key leads to; null for other keys. The cursor stops at the edge. */
export function step(key: string, point: number, size: number): number | null {
  const [column, row] = [point % size, Math.floor(point / size)];
  switch (key) {
    case "ArrowLeft":
      return column > 0 ? point - 1 : point;
    case "ArrowRight":
      return column < size - 1 ? point + 1 : point;
    case "ArrowUp":
      return row > 0 ? point - size : point;
    case "ArrowDown":
      return row < size - 1 ? point + size : point;
    case "Home":
      return row * size;
    case "End":
      return row * size + size - 1;
    case "PageUp":
      return column;
    case "PageDown":
      return (size - 1) * size + column;
    default:
      return null;
  }
}
