import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A unix socket's path is cut off silently by the kernel beyond 103 bytes (macOS) or 107 (Linux). */
const pathBytesMax = 100

/** A path for a socket: in the data directory, or in a private temporary directory when that is too long. */
export function chooseSocketPath(directory: string, name: string): { path: string; remove(): void } {
	const path = join(directory, name)
	if (Buffer.byteLength(path) <= pathBytesMax) return { path, remove: () => rmSync(path, { force: true }) }
	const short = join(mkdtempSync(join(tmpdir(), 'signalbox-')), name)
	return { path: short, remove: () => rmSync(dirname(short), { recursive: true, force: true }) }
}
