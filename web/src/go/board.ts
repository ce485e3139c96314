/** Stones, chains and captures. The server decides what is legal; this draws what it said, and judges lessons. */

export const EMPTY = 0;
export const BLACK = 1;
export const WHITE = 2;

/** A colour, or none. The same numbers as the API has. */
export type Stone = 0 | 1 | 2;

/** The stones of a square board, by point. */
export type Stones = readonly Stone[];

/** The other colour. */
export function other(stone: Stone): Stone {
  return stone === BLACK ? WHITE : stone === WHITE ? BLACK : EMPTY;
}

/** An empty board. */
export function emptyBoard(size: number): Stones {
  return new Array<Stone>(size * size).fill(EMPTY);
}

/** A board from rows of `X`, `O` and `.`, top row first; spaces are left out. */
export function parseBoard(rows: readonly string[]): Stones {
  return rows.flatMap((row) =>
    [...row.replaceAll(" ", "")].map((cell): Stone => (cell === "X" ? BLACK : cell === "O" ? WHITE : EMPTY)),
  );
}

/** The points beside a point. */
export function neighbours(point: number, size: number): number[] {
  const column = point % size;
  const beside: number[] = [];
  if (point >= size) beside.push(point - size);
  if (column > 0) beside.push(point - 1);
  if (column < size - 1) beside.push(point + 1);
  if (point < size * (size - 1)) beside.push(point + size);
  return beside;
}

/** Stones of one colour that hang together, and the empty points beside them. */
export interface Chain {
  stones: number[];
  liberties: number[];
}

/** The chain that a stone belongs to; of an empty point, the region of empty points. */
export function chainAt(stones: Stones, size: number, point: number): Chain {
  const color = stones[point];
  const seen = new Set([point]);
  const liberties = new Set<number>();
  const todo = [point];
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    for (const next of neighbours(at, size)) {
      if (stones[next] === color) {
        if (!seen.has(next)) todo.push(next);
        seen.add(next);
      } else if (stones[next] === EMPTY) liberties.add(next);
    }
  }
  return { stones: [...seen], liberties: [...liberties] };
}

/** What a stone does. */
export interface Played {
  stones: Stones;
  captured: number[];
}

/** The board after a stone, or null when the point is taken or the stone would have no liberty. Ko is not looked at. */
export function play(stones: Stones, size: number, point: number, color: Stone): Played | null {
  if (stones[point] !== EMPTY) return null;
  const next = [...stones];
  next[point] = color;
  const captured: number[] = [];
  for (const beside of neighbours(point, size)) {
    if (next[beside] !== other(color)) continue;
    const chain = chainAt(next, size, beside);
    if (chain.liberties.length > 0) continue;
    for (const taken of chain.stones) {
      next[taken] = EMPTY;
      captured.push(taken);
    }
  }
  if (chainAt(next, size, point).liberties.length === 0) return null;
  return { stones: next, captured };
}

/** A stone by a move that has been played, whatever the rules: own stones without liberties go too, as where suicide is allowed. */
export function replay(stones: Stones, size: number, point: number, color: Stone): Played {
  const played = play(stones, size, point, color);
  if (played) return played;
  const next = [...stones];
  next[point] = color;
  const captured = chainAt(next, size, point).stones;
  for (const taken of captured) next[taken] = EMPTY;
  return { stones: next, captured };
}

/** Chains that have one liberty left, one point of each. */
export function chainsInAtari(stones: Stones, size: number): number[] {
  const seen = new Set<number>();
  const found: number[] = [];
  stones.forEach((stone, point) => {
    if (stone === EMPTY || seen.has(point)) return;
    const chain = chainAt(stones, size, point);
    for (const one of chain.stones) seen.add(one);
    if (chain.liberties.length === 1) found.push(point);
  });
  return found;
}

/** Points of empty regions that reach only one colour, by that colour; the rest is nobody's. All stones live. */
export function owners(stones: Stones, size: number): Stone[] {
  const owner: Stone[] = [...stones];
  const seen = new Set<number>();
  stones.forEach((stone, start) => {
    if (stone !== EMPTY || seen.has(start)) return;
    const region = chainAt(stones, size, start).stones;
    const reached = new Set<Stone>();
    for (const point of region) {
      seen.add(point);
      for (const beside of neighbours(point, size)) {
        const there = stones[beside];
        if (there) reached.add(there);
      }
    }
    const [only] = reached;
    if (reached.size === 1 && only) for (const point of region) owner[point] = only;
  });
  return owner;
}
