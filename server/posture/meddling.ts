/** Variables that change how the runtime itself runs, trusts or loads. The server reads none of them; Node and the linker do. */

export interface Meddler {
  readonly name: string
  /** What it does to the server, as the end of a sentence. */
  readonly effect: string
}

const known: Readonly<Record<string, string>> = {
  NODE_OPTIONS: 'can load code into the server or write its memory to a file',
  NODE_PATH: 'adds places that modules are loaded from',
  NODE_EXTRA_CA_CERTS: 'makes more certificates of model endpoints trusted',
  NODE_USE_SYSTEM_CA: 'makes the certificates of the system trusted',
  NODE_TLS_REJECT_UNAUTHORIZED: 'asks not to check certificates; they are checked all the same',
  NODE_USE_ENV_PROXY: 'has requests of the runtime go through a proxy; those of the server go the way that Network shows',
  NODE_V8_COVERAGE: 'writes the names and places of what ran to files',
  NODE_DEBUG: 'prints what the runtime does, headers and keys among it',
  NODE_DEBUG_NATIVE: 'prints what the runtime does',
  NODE_REDIRECT_WARNINGS: 'writes warnings to a file',
  SSL_CERT_FILE: 'can change which certificates are trusted',
  SSL_CERT_DIR: 'can change which certificates are trusted',
  SSLKEYLOGFILE: 'names a file for the keys of encrypted connections; the server writes none',
  OPENSSL_CONF: 'can load code into the server',
  LD_PRELOAD: 'loads code into the server',
  LD_LIBRARY_PATH: 'can load code into the server',
  LD_AUDIT: 'loads code into the server',
  DYLD_INSERT_LIBRARIES: 'loads code into the server',
}

/** Contract: names and effects, never what a variable is set to. An empty one counts as unset. */
export function findMeddlers(environment: Readonly<Record<string, string | undefined>>): readonly Meddler[] {
  return Object.entries(known)
    .filter(([name]) => (environment[name] ?? '') !== '')
    .map(([name, effect]) => ({ name, effect }))
}
