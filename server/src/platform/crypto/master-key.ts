import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Reads a master key given as 64 hex digits or base64 of 32 bytes; refuses anything weaker. */
export function parseMasterKey(text: string): Buffer {
	const trimmed = text.trim()
	const bytes = /^[0-9a-fA-F]{64}$/.test(trimmed)
		? Buffer.from(trimmed, 'hex')
		: Buffer.from(trimmed, 'base64')
	if (bytes.length !== 32)
		throw new Error(
			'The master key must be 32 random bytes as hex or base64; make one with `openssl rand -hex 32`.',
		)
	if (new Set(bytes).size < 8)
		throw new Error('The master key is not random; make one with `openssl rand -hex 32`.')
	return bytes
}

/** The file of a data directory's master key. */
export function masterKeyPath(dataDir: string): string {
	return join(dataDir, 'master.key')
}

/** Reads a key that must exist. */
export function readMasterKey(path: string): Buffer {
	return parseMasterKey(readFileSync(path, 'utf8'))
}

/** The key of a data directory; made (0600) at the first start. */
export function loadOrCreateMasterKey(dataDir: string): { key: Buffer; path: string; created: boolean } {
	const path = masterKeyPath(dataDir)
	try {
		return { key: readMasterKey(path), path, created: false }
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
			throw new Error(`${path}: ${(error as Error).message}`)
	}
	const key = randomBytes(32)
	const file = openSync(path, 'wx', 0o600)
	writeSync(file, `${key.toString('hex')}\n`)
	fsyncSync(file)
	closeSync(file)
	return { key, path, created: true }
}
