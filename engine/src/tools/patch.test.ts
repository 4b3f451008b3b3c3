import { describe, expect, it } from 'vitest'
import { parsePatch } from './patch.ts'

describe('a patch', () => {
  it('keeps lines that look like headers inside their hunk', () => {
    const [file, ...others] = parsePatch(
      [
        'diff --git a/notes.sql b/notes.sql',
        'index 1..2 100644',
        '--- a/notes.sql',
        '+++ b/notes.sql',
        '@@ -1,2 +1,2 @@ select',
        '--- a comment',
        '+++ b/other',
        ' diff --git a/x b/x',
        '\\ No newline at end of file',
        '',
      ].join('\n'),
    )
    expect(others).toEqual([])
    expect(file).toMatchObject({ path: 'notes.sql', change: 'modified', added: 1, removed: 1, cut: null })
    expect(file?.hunks[0]?.lines).toEqual([
      { kind: 'removed', text: '-- a comment', old: 1, new: null },
      { kind: 'added', text: '++ b/other', old: null, new: 1 },
      { kind: 'same', text: 'diff --git a/x b/x', old: 2, new: 2 },
    ])
  })

  it.each([
    ['"a/tab\\there" "b/tab\\there"', 'tab\there'],
    ['"a/quote\\"" "b/quote\\""', 'quote"'],
    ['"a/\\303\\251" "b/\\303\\251"', 'é'],
    ['a/with space b/with space', 'with space'],
    ['a/a b/a b/a b/a', 'a b/a'],
  ])('reads the name in %s', (names, path) => {
    expect(parsePatch(`diff --git ${names}\nnew file mode 100644\n`)).toMatchObject([{ path, change: 'created' }])
  })

  it('says what it left out of a very long one', () => {
    const body = Array.from({ length: 5_000 }, (_, at) => `+line ${at}`).join('\n')
    const [file] = parsePatch(`diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,5000 @@\n${body}\n`)
    expect(file).toMatchObject({ added: 5_000, cut: '3000 more lines' })
  })
})
