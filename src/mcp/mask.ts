import type { McpMetadataRequest } from './model.ts';

/** What stands for a secret in answers. */
const MASK = '********';
const SECRET_NAME = /auth|token|secret|key|cookie|password|passwd|credential|session|signature|bearer/i;

/** The request as it may be repeated: every variable's value and every secret-looking header and query value masked. */
export function maskRequest(request: McpMetadataRequest): McpMetadataRequest {
  const masked = { ...request };
  if (request.env) masked.env = mapValues(request.env, () => MASK);
  if (request.headers)
    masked.headers = mapValues(request.headers, (name, value) => (SECRET_NAME.test(name) ? MASK : value));
  if (request.url) masked.url = maskQuery(request.url);
  return masked;
}

function maskQuery(text: string): string {
  return text.replace(/([?&])([^=&#]+)(=[^&#]*)?/g, (whole, lead: string, name: string, value?: string) =>
    value && SECRET_NAME.test(name) ? `${lead}${name}=${MASK}` : whole,
  );
}

function mapValues(values: Record<string, string>, map: (name: string, value: string) => string) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(name, value)]));
}
