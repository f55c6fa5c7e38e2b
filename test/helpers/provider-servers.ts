import { createHash, createHmac } from 'node:crypto';
import type { Embedder } from '../../src/models/model.ts';

/** A document in a provider's store. */
export interface StoredDocument {
  /** Dataset and document id. */
  id: string;
  title: string;
  text: string;
  description?: string | null;
}

/** A request that a provider's server received. */
interface SeenCall {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Headers;
  body: Record<string, any>;
}

/** A local server that speaks a provider's wire, with faults. */
export interface ProviderServer extends AsyncDisposable {
  url: string;
  calls: SeenCall[];
  /** The next calls are answered with this instead; `hang` never answers. */
  fault: { status: number; body?: unknown; headers?: Record<string, string>; times?: number } | 'hang' | undefined;
}

type Answer = (call: SeenCall) => { status?: number; body: unknown };

const KEY = 'key-of-the-test';
export const PROVIDER_KEY = KEY;

function startServer(answer: Answer): ProviderServer {
  const calls: SeenCall[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const url = new URL(request.url);
      const text = await request.text();
      const call: SeenCall = {
        method: request.method,
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: request.headers,
        body: text ? JSON.parse(text) : {},
      };
      calls.push(call);
      if (self.fault === 'hang') return new Promise<Response>(() => {});
      if (self.fault) {
        const { status, body = { secret: 'upstream-body' }, headers = {}, times } = self.fault;
        if (times !== undefined && times <= 1) self.fault = undefined;
        else if (times !== undefined) self.fault.times = times - 1;
        const payload = typeof body === 'string' ? body : JSON.stringify(body);
        return new Response(payload, { status, headers: { 'content-type': 'application/json', ...headers } });
      }
      const { status = 200, body } = answer(call);
      return Response.json(body, { status });
    },
  });
  const self: ProviderServer = {
    url: `http://127.0.0.1:${server.port}`,
    calls,
    fault: undefined,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
  return self;
}

/** Words of a text, for scores. */
function words(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[a-z]+/g) ?? []);
}

function overlap(query: string, text: string): number {
  const asked = words(query);
  const held = words(text);
  return [...asked].filter((word) => held.has(word)).length / Math.max(asked.size, 1);
}

function ranked(query: string, documents: StoredDocument[], limit: number) {
  return documents
    .map((document) => ({ document, score: overlap(query, document.text) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
}

/** RAGFlow (HTTP API reference v0.2x): one dataset for each document. `prefix` is `/byoa` at MOI. */
export function startRagflow(documents: StoredDocument[], prefix = ''): ProviderServer {
  return startServer((call) => {
    if (call.headers.get('authorization') !== `Bearer ${KEY}`)
      return { body: { code: 109, data: false, message: 'Authentication error: API key is invalid!' } };
    if (call.method === 'GET' && call.path === `${prefix}/api/v1/datasets`) {
      const size = Number(call.query['page_size'] ?? 30);
      const start = (Number(call.query['page'] ?? 1) - 1) * size;
      const data = documents.slice(start, start + size).map(({ id, title, description = null, text }) => ({
        id,
        name: title,
        description,
        embedding_model: id.startsWith('other') ? 'other-model' : 'bge',
        chunk_count: text === '' ? 0 : 1,
      }));
      return { body: { code: 0, data } };
    }
    if (call.method === 'POST' && call.path === `${prefix}/api/v1/retrieval`) {
      const { question, dataset_ids: ids, document_ids: parts, page_size: size = 30 } = call.body;
      if (!ids?.length) return { body: { code: 102, message: '`dataset_ids` is required.' } };
      const known = documents.filter(({ id }) => ids.includes(id));
      if (known.length < ids.length) return { body: { code: 102, message: "You don't own the dataset." } };
      const models = new Set(known.map(({ id }) => id.startsWith('other')));
      if (models.size > 1) return { body: { code: 102, message: 'Datasets use different embedding models.' } };
      const found = ranked(
        question,
        known.filter(({ id }) => !parts?.length || parts.includes(`doc-${id}`)),
        size,
      );
      const chunks = found.map(({ document, score }) => ({
        id: `chunk-${document.id}`,
        content: document.text,
        dataset_id: document.id,
        document_id: `doc-${document.id}`,
        document_keyword: document.title,
        similarity: score,
        positions: [[3, 1, 2, 3, 4]],
      }));
      const aggregates = found.map(({ document }) => ({
        doc_id: `doc-${document.id}`,
        doc_name: document.title,
        count: 1,
      }));
      return { body: { code: 0, data: { chunks, doc_aggs: aggregates, total: chunks.length } } };
    }
    return { status: 404, body: { code: 404, message: 'Not Found' } };
  });
}

/** Dify (knowledge API): one knowledge base for each document. */
export function startDify(documents: StoredDocument[]): ProviderServer {
  return startServer((call) => {
    if (call.headers.get('authorization') !== `Bearer ${KEY}`)
      return { status: 401, body: { code: 'unauthorized', message: 'Access token is invalid', status: 401 } };
    if (call.method === 'GET' && call.path === '/v1/datasets') {
      const limit = Number(call.query['limit'] ?? 20);
      const page = Number(call.query['page'] ?? 1);
      const data = documents
        .slice((page - 1) * limit, page * limit)
        .map(({ id, title, description = null }) => ({ id, name: title, description }));
      return { body: { data, has_more: page * limit < documents.length, limit, total: documents.length, page } };
    }
    const id = /^\/v1\/datasets\/([^/]+)\/retrieve$/.exec(call.path)?.[1];
    if (call.method === 'POST' && id !== undefined) {
      const document = documents.find((entry) => entry.id === decodeURIComponent(id));
      if (!document) return { status: 404, body: { code: 'not_found', message: 'Dataset not found.', status: 404 } };
      const { query, retrieval_model: model } = call.body;
      if ([...query].length > 250)
        return { status: 400, body: { code: 'invalid_param', message: 'too long', status: 400 } };
      if (document.id.startsWith('economy') && model)
        return { status: 400, body: { code: 'invalid_param', message: 'no embedding model', status: 400 } };
      const records = ranked(query, [document], model?.top_k ?? 2).map(({ score }) => ({
        segment: {
          id: 's1',
          content: document.text,
          document_id: `doc-${document.id}`,
          document: { id: `doc-${document.id}`, name: document.title, data_source_type: 'upload_file' },
        },
        score,
      }));
      return { body: { query: { content: query }, records } };
    }
    return { status: 404, body: { code: 'not_found', message: 'Not found.', status: 404 } };
  });
}

export const VIKING_KEYS = { accessKey: 'AKLTtest', secretKey: 'secret-key-of-the-test' };

/** The knowledge base of VikingDB: checks the signature of every call by itself. */
export function startVikingDb(documents: StoredDocument[]): ProviderServer {
  return startServer((call) => {
    if (!isSigned(call)) return { status: 401, body: { code: 1000001, message: 'signature mismatch' } };
    if (call.path === '/api/knowledge/collection/list') {
      const list = documents.map(({ id, title, description = null }) => ({
        resource_id: id,
        collection_name: title,
        description,
      }));
      return { body: { code: 0, message: 'success', data: { collection_list: list, total_num: list.length } } };
    }
    if (call.path === '/api/knowledge/collection/search_knowledge') {
      const { resource_id: id, query, limit, query_param: param } = call.body;
      const document = documents.find((entry) => entry.id === id);
      if (!document) return { body: { code: 1000005, message: 'collection not exist' } };
      const conds = param?.doc_filter?.conds;
      const found = ranked(query, conds && !conds.includes(`doc-${id}`) ? [] : [document], limit);
      const list = found.map(({ score }) => ({
        content: document.text,
        score: score / 2,
        rerank_score: score,
        chunk_title: document.title,
        doc_info: { doc_id: `doc-${id}`, doc_name: document.title },
      }));
      return { body: { code: 0, message: 'success', data: { result_list: list, count: list.length } } };
    }
    return { status: 404, body: { code: 1000004, message: 'not found' } };
  });
}

/** Verifies a call as Volcengine's gateway does, from what arrived. */
function isSigned(call: SeenCall): boolean {
  const pattern =
    /^HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/request, SignedHeaders=([^,]+), Signature=(\w+)$/;
  const match = pattern.exec(call.headers.get('authorization') ?? '');
  if (!match) return false;
  const [, accessKey, day, region, service, names, signature] = match as unknown as [string, ...string[]];
  const date = call.headers.get('x-date') ?? '';
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const body = Object.keys(call.body).length === 0 ? '{}' : JSON.stringify(call.body);
  if (accessKey !== VIKING_KEYS.accessKey || !date.startsWith(day!)) return false;
  if (call.headers.get('x-content-sha256') !== hash(body)) return false;
  const query = new URLSearchParams(call.query).toString();
  const lines = names!.split(';').map((name) => `${name}:${call.headers.get(name)}\n`);
  const canonical = `${call.method}\n${call.path}\n${query}\n${lines.join('')}\n${names}\n${hash(body)}`;
  const toSign = `HMAC-SHA256\n${date}\n${day}/${region}/${service}/request\n${hash(canonical)}`;
  let key: Buffer | string = VIKING_KEYS.secretKey;
  for (const part of [day!, region!, service!, 'request']) key = createHmac('sha256', key).update(part).digest();
  return createHmac('sha256', key).update(toSign).digest('hex') === signature;
}

interface Point {
  id: string;
  vector: number[];
  payload: Record<string, any>;
}

/** Qdrant (REST API): collections, points, the filters that are used here. */
export function startQdrant(): ProviderServer & { points: Map<string, Point>; size: number | undefined } {
  const points = new Map<string, Point>();
  const state = { size: undefined as number | undefined };
  const ok = (result: unknown) => ({ body: { result, status: 'ok', time: 0 } });
  const server = startServer((call) => {
    if (call.headers.get('api-key') !== KEY) return { status: 401, body: 'Must provide an API key' };
    const path = /^\/collections\/docs(.*)$/.exec(call.path)?.[1];
    const missing = { status: 404, body: { status: { error: "Not found: Collection `x` doesn't exist!" }, time: 0 } };
    if (path === undefined) return missing;
    if (call.method === 'PUT' && path === '') {
      state.size = call.body['vectors'].size;
      return ok(true);
    }
    if (state.size === undefined) return missing;
    const wrongSize = { status: 400, body: { status: { error: 'Wrong input: Vector dimension error' }, time: 0 } };
    const chosen = () => [...points.values()].filter((point) => matchesFilter(point, call.body['filter']));
    switch (`${call.method} ${path}`) {
      case 'GET ':
        return ok({ config: { params: { vectors: { size: state.size, distance: 'Cosine' } } } });
      case 'PUT /index':
        return ok({ status: 'completed' });
      case 'PUT /points':
        for (const point of call.body['points'] as Point[]) {
          if (point.vector.length !== state.size) return wrongSize;
          points.set(point.id, point);
        }
        return ok({ status: 'completed' });
      case 'POST /points/scroll': {
        const all = chosen().sort((a, b) => a.id.localeCompare(b.id));
        const from = call.body['offset'] ? all.findIndex(({ id }) => id === call.body['offset']) : 0;
        const page = all.slice(from, from + call.body['limit']);
        return ok({ points: page, next_page_offset: all[from + call.body['limit']]?.id ?? null });
      }
      case 'POST /points/query': {
        if (call.body['query'].length !== state.size) return wrongSize;
        const found = chosen().map((point) => ({ ...point, score: cosine(call.body['query'], point.vector) }));
        found.sort((a, b) => b.score - a.score);
        return ok({ points: found.slice(0, call.body['limit']).map(({ vector: _, ...point }) => point) });
      }
      case 'POST /points/count':
        return ok({ count: chosen().length });
      case 'POST /points/delete':
        for (const { id } of chosen()) points.delete(id);
        return ok({ status: 'completed' });
      default:
        return { status: 404, body: {} };
    }
  });
  return Object.assign(server, {
    points,
    get size() {
      return state.size;
    },
  });
}

function matchesFilter({ payload }: Point, filter: any): boolean {
  if (!filter) return true;
  const holds = ({ key, match }: any) => (match.any ? match.any.includes(payload[key]) : payload[key] === match.value);
  if (filter.should && !filter.should.some(holds)) return false;
  if (filter.must && !filter.must.every(holds)) return false;
  return !filter.must_not?.some(holds);
}

/** Milvus (RESTful API v2): one collection named `docs`. */
export function startMilvus(): ProviderServer & { entities: Map<string, Record<string, any>> } {
  const entities = new Map<string, Record<string, any>>();
  let dimension: number | undefined;
  const ok = (data: unknown) => ({ body: { code: 0, data } });
  const server = startServer((call) => {
    if (call.headers.get('authorization') !== `Bearer root:${KEY}`)
      return { status: 401, body: { code: 1800, message: "user hasn't authenticated" } };
    const { filter = '', limit = 100, offset = 0, collectionName } = call.body;
    const path = call.path.replace('/v2/vectordb', '');
    if (path === '/collections/has') return ok({ has: dimension !== undefined && collectionName === 'docs' });
    if (path === '/collections/create') {
      const field = call.body['schema'].fields.find((entry: any) => entry.dataType === 'FloatVector');
      dimension = Number(field.elementTypeParams.dim);
      return ok({});
    }
    if (dimension === undefined || collectionName !== 'docs')
      return { body: { code: 100, message: "can't find collection[database=default][collection=x]" } };
    const chosen = () => [...entities.values()].filter((entity) => matchesExpression(entity, filter));
    switch (path) {
      case '/entities/upsert':
        for (const entity of call.body['data']) {
          if (entity.embedding.length !== dimension) return { body: { code: 1100, message: 'dimension mismatch' } };
          entities.set(entity.id, entity);
        }
        return ok({ upsertCount: call.body['data'].length });
      case '/entities/query':
        return ok(
          chosen()
            .slice(offset, offset + limit)
            .map(({ embedding: _, ...entity }) => entity),
        );
      case '/entities/search': {
        const [vector] = call.body['data'];
        if (vector.length !== dimension) return { body: { code: 1100, message: 'dimension mismatch' } };
        const found = chosen().map((entity) => ({ ...entity, distance: cosine(vector, entity['embedding']) }));
        return ok(found.sort((a, b) => b.distance - a.distance).slice(0, limit));
      }
      case '/entities/delete':
        for (const entity of chosen()) entities.delete(entity['id']);
        return ok({});
      default:
        return { status: 404, body: { code: 404, message: 'page not found' } };
    }
  });
  return Object.assign(server, { entities });
}

/** `a == "x" and b != "y"`, `a in [..] or b in [..]`: the expressions that are used here. */
function matchesExpression(entity: Record<string, any>, expression: string): boolean {
  if (expression === '') return true;
  return expression.split(' or ').some((part) =>
    part.split(' and ').every((term) => {
      const match = /^(\w+) (==|!=|in) (.*)$/s.exec(term.trim());
      if (!match) throw new Error(`unknown expression ${term}`);
      const [, field, operator, value] = match as unknown as [string, string, string, string];
      const expected = JSON.parse(value);
      if (operator === 'in') return expected.includes(entity[field]);
      return (entity[field] === expected) === (operator === '==');
    }),
  );
}

function cosine(a: number[], b: number[]): number {
  let dot = 0;
  for (const [index, value] of a.entries()) dot += value * (b[index] ?? 0);
  return dot / (Math.hypot(...a) * Math.hypot(...b) || 1);
}

/** An embedder that needs no model: texts that share words are near. */
export function wordEmbedder(size = 96): Embedder & { calls: string[][] } {
  const calls: string[][] = [];
  return {
    name: 'words',
    calls,
    embed: async (texts, signal) => {
      signal.throwIfAborted();
      calls.push(texts);
      return texts.map((text) => {
        const vector = new Float32Array(size).fill(0.01);
        for (const word of words(text)) vector[Number(Bun.hash(word) % BigInt(size))]! += 1;
        return vector;
      });
    },
  };
}
