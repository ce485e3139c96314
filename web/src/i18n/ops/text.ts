/** The messages of the operators' page, loaded with it. */

import { later } from "../later";
import type { Message } from "../text";
import { en } from "./en";

export type OpsKey = keyof typeof en;
export type OpsCatalogue = Record<OpsKey, Message>;

/** A message of the operators' page. */
export const o = later<OpsKey>(en, {
  id: () => import("./id"),
  hi: () => import("./hi"),
  zh: () => import("./zh"),
  ja: () => import("./ja"),
  ko: () => import("./ko"),
});
