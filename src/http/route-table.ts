import type { AnyElysia } from 'elysia';

/** A mounted route as an operator writes it. */
export interface MountedRoute {
  method: string;
  /** Pattern, for example `/api/runs/:id`. */
  path: string;
  /** True when the route reads its body itself (`parse: 'none'`). */
  raw: boolean;
}

interface Entry {
  path: string;
  /** Pattern as an expression; absent for a path without parameters. */
  pattern?: RegExp;
  /** Method to whether the route is raw. */
  methods: Map<string, boolean>;
}

/** What is mounted: answers which pattern and which methods a path has, for `Allow` and for the access log. */
export class RouteTable {
  readonly routes: readonly MountedRoute[];
  readonly #fixed = new Map<string, Entry>();
  readonly #patterns: Entry[] = [];

  constructor(app: AnyElysia) {
    this.routes = app.routes.map((route) => ({
      method: route.method,
      path: route.path,
      raw: (route.hooks.parse as { fn: unknown }[] | undefined)?.some((parser) => parser.fn === 'none') ?? false,
    }));
    for (const route of this.routes) this.#add(route);
  }

  /** The pattern and methods of a path, or undefined when nothing is mounted there. */
  find(path: string): { path: string; methods: ReadonlyMap<string, boolean> } | undefined {
    const plain = withoutTrailingSlash(path);
    return this.#fixed.get(plain) ?? this.#patterns.find((entry) => entry.pattern?.test(plain));
  }

  /** The value of `Allow` for a path: its methods, with what every path answers. */
  allow(path: string): string {
    const methods = new Set(this.find(path)?.methods.keys());
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods, 'OPTIONS'].join(', ');
  }

  /** True when the route of this request reads its body itself. */
  isRaw(method: string, path: string): boolean {
    return this.find(path)?.methods.get(method) ?? false;
  }

  #add(route: MountedRoute): void {
    const path = withoutTrailingSlash(route.path);
    const dynamic = /[:*]/.test(path);
    let entry = dynamic ? this.#patterns.find((known) => known.path === path) : this.#fixed.get(path);
    if (!entry) {
      entry = { path, methods: new Map(), ...(dynamic && { pattern: toPattern(path) }) };
      if (dynamic) this.#patterns.push(entry);
      else this.#fixed.set(path, entry);
    }
    entry.methods.set(route.method, route.raw);
  }
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function toPattern(path: string): RegExp {
  const source = path
    .split('/')
    .slice(1)
    .map((part) => {
      if (part === '*') return '/.*';
      if (part.startsWith(':')) return part.endsWith('?') ? '(?:/[^/]+)?' : '/[^/]+';
      return `/${part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`;
    })
    .join('');
  return new RegExp(`^${source}$`);
}
