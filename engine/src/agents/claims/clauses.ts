/** A sentence cut into clauses, each with its verb before its object. */

/** Words in quotation marks are somebody's, or a proposal; a name in them stays. */
export function withoutQuotations(text: string): string {
  return text.replaceAll(/"[^"`]* [^"`]*"|“[^”`]* [^”`]*”/g, '"')
}

/** A row of a table as one clause; "`a.ts`: added a check" with the name behind, where a verb has its object. */
export function nameLast(text: string): string {
  const cells = text.startsWith('|') ? text.split('|').map((cell) => cell.trim()) : [text]
  const isName = (cell: string) => /^`[^`]+`$/.test(cell)
  const row = [...cells.filter((cell) => !isName(cell)), ...cells.filter(isName)].join(' ').trim()
  return row.replace(/^((?:[-+•*]|\d+[.)])\s+)?\*{0,2}(`[^`]+`)\*{0,2}\s?(?::|[–—-])\s+([^`]+?)\.?$/, '$1$3 $2')
}

/** Commas and joining words outside of quoted code. */
export function splitClauses(text: string): string[] {
  const clauses: string[] = []
  let current = ''
  for (const part of text.split(/(`[^`]*`)/)) {
    if (part.startsWith('`')) {
      current += part
      continue
    }
    const pieces = part.split(/[;:]\s|,\s|\s[–—-]\s|[—–()]|\b(?:and|but|so|because|which|while|although|then)\b/i)
    current += pieces[0] ?? ''
    for (const piece of pieces.slice(1)) {
      clauses.push(current)
      current = piece
    }
  }
  return [...clauses, current].map((clause) => clause.trim()).reduce<string[]>(joinNames, [])
}

/** "I updated `a.ts` and `b.ts`": names alone belong to the clause before. */
function joinNames(clauses: string[], clause: string): string[] {
  if (clause === '') return clauses
  const last = clauses.length - 1
  if (last < 0 || !/^(?:also |even )?(?:`[^`]+`[\s.]*)+$/.test(clause)) return [...clauses, clause]
  return clauses.with(last, `${clauses[last]}, ${clause}`)
}
