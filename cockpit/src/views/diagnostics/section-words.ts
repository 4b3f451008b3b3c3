/** What each section of the diagnostics is called, and what it tells. */
import type { DiagnosticsSection } from '@bridlewise/shared/wire'

interface SectionWords {
  readonly title: string
  readonly about: string
}

export const sectionWords: Readonly<Record<DiagnosticsSection, SectionWords>> = {
  product: { title: 'Versions and platform', about: 'Of the product, its runtime, the kernel, and how much machine there is.' },
  configuration: { title: 'Configuration', about: 'Which variables are set. Values only where they say nothing of the machine.' },
  findings: { title: 'Posture', about: 'What was measured here, as on the posture page, with places and names replaced.' },
  limits: { title: 'Limits', about: 'Every limit in force.' },
  storage: { title: 'Storage', about: 'The version of the schema, and rows and bytes of each table.' },
  events: { title: 'Security events', about: 'How many of which kind. Not who, from where, or what was asked.' },
  faults: { title: 'Faults', about: 'What broke since the start: kind, code and line of source, without a word of the error.' },
  health: { title: 'Health', about: 'Memory, and how busy and how late the server ran a moment ago.' },
}
