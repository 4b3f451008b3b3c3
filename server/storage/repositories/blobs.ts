/** Large results, kept whole while the conversation holds a part. */
import type { Owner } from '../pages.ts'

export interface BlobDraft {
  readonly id: string
  readonly runId: string
  readonly text: string
  readonly createdAt: number
}

export interface Blobs {
  /** `bytes` counts UTF-8. */
  put(owner: Owner, draft: BlobDraft): { readonly ref: string; readonly bytes: number }
  get(owner: Owner, ref: string): string | null
}
