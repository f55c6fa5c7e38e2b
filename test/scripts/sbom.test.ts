import { expect, test } from 'bun:test';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { createSbom } from '../../scripts/sbom.ts';
import { Type, Value } from '../../src/schema.ts';

const ROOT = join(import.meta.dir, '../..');
const strict = { additionalProperties: false };
const text = Type.String({ minLength: 1 });

/** The part of CycloneDX 1.6 that the bill uses (https://cyclonedx.org/docs/1.6/json/); it allows no further key. */
const Licences = Type.Union([
  Type.Array(Type.Object({ license: Type.Object({ id: text }, strict) }, strict), { minItems: 1 }),
  Type.Array(Type.Object({ expression: text }, strict), { minItems: 1, maxItems: 1 }),
]);
const Component = Type.Recursive((This) =>
  Type.Object(
    {
      type: Type.Union(['application', 'library', 'platform'].map((name) => Type.Literal(name))),
      'bom-ref': text,
      group: Type.Optional(text),
      name: text,
      version: Type.Optional(Type.String({ maxLength: 1024 })),
      hashes: Type.Optional(
        Type.Array(
          Type.Object({ alg: Type.Literal('SHA-512'), content: Type.String({ pattern: '^[a-f0-9]{128}$' }) }, strict),
        ),
      ),
      licenses: Licences,
      purl: Type.Optional(Type.String({ pattern: '^pkg:(npm|generic|github)/[^@\\s]+@[^@\\s]+$' })),
      components: Type.Optional(Type.Array(This, { uniqueItems: true })),
    },
    strict,
  ),
);
const Bill = Type.Object(
  {
    bomFormat: Type.Literal('CycloneDX'),
    specVersion: Type.Literal('1.6'),
    serialNumber: Type.String({
      pattern: '^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    }),
    version: Type.Integer({ minimum: 1 }),
    metadata: Type.Object(
      { lifecycles: Type.Array(Type.Object({ phase: Type.Literal('build') }, strict)), component: Component },
      strict,
    ),
    components: Type.Array(Component, { uniqueItems: true }),
    dependencies: Type.Array(Type.Object({ ref: text, dependsOn: Type.Array(text, { uniqueItems: true }) }, strict), {
      uniqueItems: true,
    }),
  },
  strict,
);

test('the bill of materials is CycloneDX, names what is in the file, and is the same every time', async () => {
  const sbom = await createSbom(ROOT);
  const bill = JSON.parse(sbom);
  expect([...Value.Errors(Bill, bill)].map(({ path, message }) => `${path} ${message}`)).toEqual([]);
  expect(await createSbom(ROOT)).toBe(sbom);

  const refs: string[] = bill.components.map((component: { 'bom-ref': string }) => component['bom-ref']);
  expect(new Set(refs).size).toBe(refs.length);
  expect(refs).toContain(`pkg:github/oven-sh/bun@bun-v${manifest.packageManager.slice(4)}`);
  for (const name of ['elysia', 'nodemailer', '@modelcontextprotocol/sdk', 'wasm-media-encoders'] as const)
    expect(refs).toContain(`pkg:npm/${name.replace('@', '%40')}@${manifest.dependencies[name]}`);
  // Tools of development are not in the file.
  expect(sbom).not.toMatch(/pkg:npm\/(typescript|stripe|svix|%40biomejs)/);
  const all = new Set([...refs, bill.metadata.component['bom-ref']]);
  for (const { ref, dependsOn } of bill.dependencies)
    for (const name of [ref, ...dependsOn]) expect(all.has(name)).toBe(true);
  expect(sbom).not.toContain(ROOT);
  expect(sbom).not.toMatch(/https?:\/\//);
}, 60_000);
