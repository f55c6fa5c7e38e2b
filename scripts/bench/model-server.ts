/**
 * Runs the test model server as an own process, for benches and for trying the product by hand without a provider:
 * `bun scripts/bench/model-server.ts --port 9099 --rate 50 --tokens 200 --latency-ms 0 --steps 1`.
 * Prints its base URL on the first line.
 */
import { parseArgs } from 'node:util';
import { startModelServer } from '../../test/helpers/model-server.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    rate: { type: 'string', default: '0' },
    tokens: { type: 'string', default: '120' },
    'latency-ms': { type: 'string', default: '0' },
    steps: { type: 'string', default: '1' },
  },
});

const server = startModelServer({
  port: Number(values.port),
  tokensPerSecond: Number(values.rate) || undefined,
  latencyMs: Number(values['latency-ms']) || undefined,
  auto: { tokens: Number(values.tokens), steps: Number(values.steps) },
  forget: true,
});
process.stdout.write(`${server.baseUrl}\n`);
