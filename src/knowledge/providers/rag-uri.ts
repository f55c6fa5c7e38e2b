/** A knowledge base of an external provider, or one document of it. */
export interface RagAddress {
  dataset: string;
  document?: string;
}

/** `rag://dataset/<id>` or `rag://dataset/<id>#<document>`, as in DeerFlow. */
export function formatRagUri({ dataset, document }: RagAddress): string {
  const base = `rag://dataset/${encodeURIComponent(dataset)}`;
  return document === undefined ? base : `${base}#${encodeURIComponent(document)}`;
}

/** The parts of such an address; undefined for any other. */
export function parseRagUri(uri: string): RagAddress | undefined {
  const match = /^rag:\/\/dataset\/([^/?#\s]+)(?:#(\S*))?$/.exec(uri);
  if (!match) return undefined;
  const dataset = decode(match[1]!);
  const document = decode(match[2] ?? '');
  return document === '' ? { dataset } : { dataset, document };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
