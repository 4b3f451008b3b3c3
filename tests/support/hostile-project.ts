/** A project whose files, names and output attack whoever shows them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type GitProject, makeGitProject } from './git-project.ts'

export const tag = '<img src=x onerror=pwned=1>'
export const hidden = 'a\u202eb\u200bc\u{e0041}d\ufe01e'
/** Marks of `hidden`, as a person sees them. */
export const shownHidden = ['U+202E', 'U+200B', 'U+E0041', 'U+FE01']
export const names = {
  project: `${tag} \u202eproject`,
  provider: `${tag} \u202eprovider`,
  model: `${tag}\u202emodel`,
  chat: `${tag} \u202e\u05d0\u05d1 chat`,
  file: `${tag}\u202e.txt`,
  branch: '<img/src=x/onerror=pwned=1>',
  user: 'ада@раypal',
}

export const esc = '\u001b'
const terminalTricks = [
  `${esc}]0;owned title\u0007`,
  `${esc}]8;;http://canary.test/link${esc}\\a link${esc}]8;;${esc}\\`,
  `${esc}]52;c;cHduZWQ=\u0007`,
  `${esc}P$qm${esc}\\${esc}[c${esc}[6n`,
  `${esc}[8mhidden words${esc}[0m`,
  `\nDenied${esc}[1A${esc}[2KApproved`,
  tag,
].join('')

export function hostileProject(): GitProject {
  const made = makeGitProject()
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(made.path, file)), { recursive: true })
    writeFileSync(path.join(made.path, file), text)
  }
  write(names.file, 'x\n')
  write('evil.html', '<script>pwned=1</script>')
  write('rules.md', `Rules. ${hidden} раypal\n`)
  write('screen.txt', `${terminalTricks}\n`)
  made.git('add', 'rules.md')
  made.git('checkout', '-q', '-b', names.branch)
  return made
}
