/**
 * Direction, as rules a machine can refuse on. Every invariant in docs/architecture.md that names an
 * import has its rule here and carries the rule's name. `tests/architecture/direction.test.ts` plants a
 * violation of each, and checks that the cruiser saw every source file.
 */

const deny = (name, comment, edge) => ({ name, comment, severity: 'error', ...edge })
const source = '^(shared|engine/src|server|cockpit/src|guardian)/'
const test = '\\.test\\.ts$'
const tool = '(^|/)[^/]+\\.config\\.[cm]?[jt]s$'

/** Engine layers, lowest first. A layer may use only layers before it. */
const layers = [
  ['kernel'],
  ['workspace', 'privacy'],
  ['timeline', 'editor', 'intelligence', 'memory'],
  ['quality', 'tools'],
  ['agents'],
  ['harness'],
]

const layerRules = layers.map((members, level) => {
  const above = layers
    .slice(level + 1)
    .flat()
    .concat('cli')
  const here = `^engine/src/(${members.join('|')})/`
  return deny(`engine-layer-${level}`, `${members.join(', ')} may not reach up or sideways.`, {
    from: { path: here },
    to: { path: [`^engine/src/(${above.join('|')})(/|\\.ts$)`, here], pathNot: '^engine/src/$1/' },
  })
})

module.exports = {
  forbidden: [
    deny('no-cycles', 'A cycle is one module pretending to be several.', {
      // A component that draws a tree names itself; nothing else may.
      from: { pathNot: '^cockpit/src/render/markdown/(MarkdownBlock|InlineParts)\\.svelte$' },
      to: { circular: true },
    }),
    deny('no-orphans', 'Code nothing reaches is deleted, not kept.', {
      from: {
        orphan: true,
        pathNot: [test, '\\.d\\.ts$', tool, '^cockpit/(public|svelte)', '^server/demo/sample/', '^tests/support/quiet\\.ts$'],
      },
      to: {},
    }),
    deny('declared-only', 'Use only what your package.json declares and its exports allow.', {
      from: { pathNot: '^server/demo/sample/' },
      to: { couldNotResolve: true, pathNot: '^(virtual:|svelte/)' },
    }),
    deny('no-borrowed-tools', 'A root devDependency resolves from every package; that is not a declaration.', {
      from: { path: source, pathNot: [test, tool] },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    }),

    // Packages: cockpit -> shared <- engine <- server -> guardian.
    deny('shared-is-a-leaf', 'shared imports no other package.', {
      from: { path: '^shared/' },
      to: { path: '^(engine|server|cockpit|guardian|tests)/' },
    }),
    deny('shared-is-portable', 'shared runs in the browser: no Node built-ins.', {
      from: { path: '^shared/', pathNot: test },
      to: { dependencyTypes: ['core'] },
    }),
    deny('shared-needs-little', 'The contract needs zod and the event-stream parser, nothing else.', {
      from: { path: '^shared/', pathNot: test },
      to: { path: 'node_modules/', pathNot: 'node_modules/(zod|eventsource-parser)/' },
    }),
    deny('engine-below-server', 'The engine knows neither HTTP nor accounts.', {
      from: { path: '^engine/' },
      to: { path: ['^(server|cockpit|guardian)/', 'node_modules/(@fastify|fastify|openai)/'] },
    }),
    deny('engine-not-blocks', 'The engine speaks the vocabulary, not the HTTP blocks.', {
      from: { path: '^engine/src/' },
      to: { path: '^shared/(blocks|client|define|index\\.ts)' },
    }),
    deny('server-not-cockpit', 'The server serves a schema, never a component.', {
      from: { path: '^server/' },
      to: { path: '^cockpit/' },
    }),
    deny('cockpit-only-shared', 'The browser reaches the server over HTTP only.', {
      from: { path: '^cockpit/' },
      to: { path: '^(server|engine|guardian|tests)/' },
    }),
    deny('guardian-stands-alone', 'The guardian decides no policy and knows nobody.', {
      from: { path: '^guardian/' },
      to: { path: '^(shared|engine|server|cockpit|tests)/' },
    }),
    deny('no-tests-in-product', 'Product code never imports test code.', {
      from: { path: source, pathNot: test },
      to: { path: [test, '^tests/'] },
    }),
    deny('package-front-door', 'Enter a package through the doors that its exports name.', {
      from: { path: '^(shared|engine|server|cockpit|guardian)/', pathNot: test },
      to: {
        path: '^(shared|engine|guardian)/',
        pathNot: [
          '^$1/',
          '^shared/((|wire/|refusals/|client/)index|client/no-generated-code)\\.ts$',
          '^engine/src/index\\.ts$',
          '^guardian/index\\.ts$',
        ],
      },
    }),

    // Inside the engine.
    ...layerRules,
    deny('room-front-door', 'Enter a room of the engine through its index.ts.', {
      from: { path: '^engine/src/([^/]+)/' },
      to: { path: '^engine/src/[^/]+/', pathNot: ['^engine/src/$1/', '^engine/src/[^/]+/index\\.ts$'] },
    }),
    deny('cli-is-a-client', 'The command line uses the library as any other caller would.', {
      from: { path: '^engine/src/cli/', pathNot: test },
      to: { path: '^engine/src/', pathNot: ['^engine/src/cli/', '^engine/src/index\\.ts$'] },
    }),

    // Inside the server.
    deny('server-room-door', 'Enter storage, accounts, confinement and network through their index.ts.', {
      from: {
        path: '^server/(?!(storage|accounts|confinement|network)/)|^server/(storage|accounts|confinement|network)/',
        pathNot: test,
      },
      to: {
        path: '^server/(storage|accounts|confinement|network)/',
        pathNot: ['^server/$1/', '^server/(storage|accounts|confinement|network)/index\\.ts$'],
      },
    }),

    // Invariants of a run.
    deny('stream-cannot-start-a-run', 'A GET reads the feed; nothing it can reach executes or calls a model.', {
      from: { path: '^server/handlers/run-stream\\.ts$' },
      to: { path: '^server/(runs/execute|llm/|confinement/)', reachable: true },
    }),
    deny('one-egress', 'Model traffic leaves through the redacting door.', {
      from: { path: '^server/(?!llm/)', pathNot: test },
      to: { path: '^server/llm/(?!bridge\\.ts$)' },
    }),
    deny('one-transport', 'Only the network opens a connection to somewhere else; types of a connection are free.', {
      from: { path: '^(server/(?!network/)|engine/|shared/|cockpit/)', pathNot: test },
      to: { path: ['^(node:)?(https?|http2|tls)$', 'node_modules/(openai|undici)/'], dependencyTypesNot: ['type-only'] },
    }),
    deny('one-spawn', 'Processes start only in confinement.', {
      from: { path: '^(server/(?!confinement/)|engine/src/(?!cli/))', pathNot: test },
      to: { path: '^(node:)?child_process$', dependencyTypes: ['core'] },
    }),
    deny('one-database', 'SQL lives in storage.', {
      from: { path: '^(server/(?!storage/)|engine/src/)', pathNot: [test, tool] },
      to: { path: ['node_modules/(better-sqlite3|drizzle-orm)/', '^(node:)?sqlite$'] },
    }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['(^|/)(dist|build)/', '^server/demo/sample/', '\\.svelte-kit'] },
    tsPreCompilationDeps: true, // sees `import type` in .ts files
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'svelte', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.svelte'],
    },
  },
}
