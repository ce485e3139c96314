/** The details of a failed call: messages of google.rpc, of which only two are of use here. Loaded with what makes calls. */

import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { detailsAreReadBy, type Refusal } from "./refusal";

detailsAreReadBy((failed, into) => {
  for (const detail of failed.details) {
    if (!("type" in detail) || !("value" in detail)) continue;
    if (detail.type === "google.rpc.ErrorInfo") readErrorInfo(detail.value as Uint8Array, into);
    if (detail.type === "google.rpc.BadRequest") readBadRequest(detail.value as Uint8Array, into);
  }
});

function readErrorInfo(bytes: Uint8Array, into: Refusal): void {
  fields(bytes, (field, reader) => {
    if (field === 1) into.reason = reader.string();
    else if (field === 3) {
      const entry = { key: "", value: "" };
      fields(reader.bytes(), (part, inner) => {
        if (part === 1) entry.key = inner.string();
        else if (part === 2) entry.value = inner.string();
        else return false;
        return true;
      });
      into.metadata[entry.key] = entry.value;
    } else return false;
    return true;
  });
}

function readBadRequest(bytes: Uint8Array, into: Refusal): void {
  fields(bytes, (field, reader) => {
    if (field !== 1) return false;
    fields(reader.bytes(), (part, inner) => {
      if (part !== 2) return false;
      into.violations.push(inner.string());
      return true;
    });
    return true;
  });
}

/** Goes through the fields of a message; `read` says whether it took one. */
function fields(bytes: Uint8Array, read: (field: number, reader: BinaryReader) => boolean): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    const taken = wire === WireType.LengthDelimited && read(field, reader);
    if (!taken) reader.skip(wire, field);
  }
}
