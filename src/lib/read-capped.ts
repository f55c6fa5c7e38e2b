/** What was read of a body. */
export interface CappedRead {
  bytes: Uint8Array<ArrayBuffer>;
  /** There was more than the cap; `bytes` are the first ones. */
  isCut: boolean;
}

/**
 * Reads a body up to `maxBytes` and gives up the rest at the first byte beyond, whatever its length was said to be.
 * Rejects when the body breaks; a fetch that is aborted breaks its body.
 */
export async function readCapped(
  body: ReadableStream<Uint8Array> | null | undefined,
  maxBytes: number,
): Promise<CappedRead> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isCut = false;
  const reader = body?.getReader();
  while (reader && !isCut) {
    const { done, value } = await reader.read();
    if (done) break;
    isCut = value.byteLength > maxBytes - size;
    const kept = isCut ? value.subarray(0, maxBytes - size) : value;
    chunks.push(kept);
    size += kept.byteLength;
  }
  // Not waited for: a sender that does not listen would hold up the refusal.
  if (isCut) void reader?.cancel().catch(() => undefined);
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return { bytes, isCut };
}
