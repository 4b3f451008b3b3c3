/** How calls and their results are told to a model. */

/**
 * The arguments of a call as the model is shown them again.
 *
 * Contract: always a JSON object. A cut or malformed text the model once sent is not replayed: some
 * endpoints refuse a conversation that holds one, and the chat would be dead.
 */
export function toArguments(input: unknown): string {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? JSON.stringify(input) : '{}'
}
