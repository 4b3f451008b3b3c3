/** What the data home lies on. SQLite's log needs locks and shared memory that some file systems only pretend to have. */
import { statfsSync } from 'node:fs'

export interface FileSystem {
  /** As a person knows it: `NFS`. */
  readonly name: string
  /**
   * `none`: two machines, or a machine and its guest, can hold one lock at once, so nothing may be written.
   * `limited`: it works, and the remark says what to know. `full`: nothing is known against it.
   */
  readonly trust: 'full' | 'limited' | 'none'
  readonly remark: string | null
}

/** What the kernel says of the file system that a path lies on. Contract: the path exists. */
export function findFileSystem(path: string): FileSystem {
  return judgeFileSystem(statfsSync(path).type, process.platform)
}

/** `type` is `f_type` of statfs(2); its numbers mean these file systems on Linux alone. */
export function judgeFileSystem(type: number, platform: NodeJS.Platform): FileSystem {
  if (platform !== 'linux') return { name: 'unknown', trust: 'full', remark: null }
  const name = shared.get(type >>> 0)
  if (name !== undefined) return { name, trust: 'none', remark: null }
  return known.get(type >>> 0) ?? { name: `type 0x${(type >>> 0).toString(16)}`, trust: 'full', remark: null }
}

/** From linux/magic.h and the modules' own sources: file systems that another machine, or a host, writes to as well. */
const shared: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB (CIFS)'],
  [0xfe534d42, 'SMB 2'],
  [0x01021997, '9p, as of a drive of Windows under WSL or a directory of a virtual machine'],
  [0x53464846, 'a drive of Windows under WSL'],
  [0x786f4256, 'a shared folder of VirtualBox'],
  [0xbacbacbc, 'a shared folder of VMware'],
  [0x6a656a63, 'virtiofs'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x19830326, 'BeeGFS'],
  [0x47504653, 'GPFS'],
])

const limited = (name: string, remark: string): FileSystem => ({ name, trust: 'limited', remark })
const full = (name: string): FileSystem => ({ name, trust: 'full', remark: null })

const known: ReadonlyMap<number, FileSystem> = new Map([
  [0xef53, full('ext4')],
  [0x58465342, full('XFS')],
  [0x9123683e, full('Btrfs')],
  [0xf2f52010, full('F2FS')],
  [0x2fc12fc1, full('ZFS')],
  [0x65735546, limited('FUSE', 'a program serves it, and whether its locks and its syncs hold depends on that program')],
  [0x794c7630, limited('overlay', 'it goes with the container that it belongs to, unless a volume is mounted there')],
  [0x01021994, limited('tmpfs', 'it lies in memory, and nothing of it survives a restart of the machine')],
  [0x858458f6, limited('ramfs', 'it lies in memory, and nothing of it survives a restart of the machine')],
  [0x4d44, limited('FAT', 'it knows no owners, so others can read what lies there')],
  [0x2011bab0, limited('exFAT', 'it knows no owners, so others can read what lies there')],
])
