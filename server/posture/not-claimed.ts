/** What the product does not claim, in the sentences of docs/security-and-limits.md. */
export const notClaimed: readonly string[] = [
  'It is not audited, and it is not a deployment: do not put it on a network.',
  "The local user is inside the boundary. Whoever can read your account's files or the server's memory can reach the data.",
  "Accounts keep people's records apart, not their processes: every project and command runs as the account that runs the server. Invite only whom you would give a shell.",
  'Landlock and namespaces are not a virtual machine. Which layers hold is stated for each command in its receipt.',
  'The ledger is not proof against someone who rewrites the whole database. Keep the receipt of a check elsewhere to see that.',
  'An older sealed value that is put back into its own cell opens. Entries of the ledger alone are bound to what they said.',
  'Redaction reduces accidents. It does not make hostile content safe, and it cannot know a secret that has no shape.',
  'Repository content can carry instructions for a model. Policy and confinement bound what following them can do.',
  'No provider compatibility beyond the OpenAI-style protocol.',
  'Only claims in English that a pattern knows are held against the record; a sentence without a mark is not proven.',
]
