import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const form = 'The master key must be 32 random bytes as hex or base64; make one with `openssl rand -hex 32`.'
const notRandom = 'The master key is not random; make one with `openssl rand -hex 32`.'

/** Parses a master key given as 64 hex digits or base64 of 32 bytes. Refuses anything that is not random. */
export function parseMasterKey(text: string): Buffer {
	const trimmed = text.trim()
	const isHex = /^[0-9a-fA-F]{64}$/.test(trimmed)
	const bytes = Buffer.from(trimmed, isHex ? 'hex' : 'base64')
	if (bytes.length !== 32 || (!isHex && !/^[\w+/-]+={0,2}$/.test(trimmed))) throw new Error(form)
	if (isMadeUp(bytes) || /changeme|password|signalbox/i.test(trimmed)) throw new Error(notRandom)
	return bytes
}

/** A random key has any of these properties with a probability below 10^-10. */
function isMadeUp(bytes: Buffer): boolean {
	const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
	return new Set(bytes).size < 8 || isText || repeats(bytes) || steps(bytes)
}

/** For example `abcdefgh` four times. */
function repeats(bytes: Buffer): boolean {
	return [4, 8, 16].some((period) => bytes.every((byte, index) => byte === bytes[index % period]))
}

/** For example 00 01 02 … */
function steps(bytes: Buffer): boolean {
	const step = (index: number) => ((bytes[index] as number) - (bytes[index - 1] as number) + 256) % 256
	return bytes.every((_, index) => index < 2 || step(index) === step(1))
}

/** The keys of an instance: the current one and, while secrets are being resealed, the previous one. */
export interface MasterKeys {
	newest: Buffer
	previous: Buffer | null
}

/** The keys from the settings, in the formats of `parseMasterKey`. */
export function givenMasterKeys(newest: string, previous: string | null): MasterKeys {
	return { newest: parseMasterKey(newest), previous: previous === null ? null : parseMasterKey(previous) }
}

/** The path of a data directory's master key. */
function masterKeyPath(dataDir: string): string {
	return join(dataDir, 'master.key')
}

/** The path of the previous key, which is kept until no secret needs it. */
function previousKeyPath(dataDir: string): string {
	return `${masterKeyPath(dataDir)}.previous`
}

/** Reads the keys of a data directory; throws if there are none. */
export function readMasterKeys(dataDir: string): MasterKeys {
	const newest = readKey(masterKeyPath(dataDir))
	const previous = readOptional(previousKeyPath(dataDir))
	// If they are equal, a rotation was interrupted before the new key was in place.
	return { newest, previous: previous?.equals(newest) ? null : previous }
}

/** The keys of a data directory. The first start creates one, with mode 0600. */
export function loadOrCreateMasterKey(dataDir: string): {
	keys: MasterKeys
	key: Buffer
	path: string
	created: boolean
} {
	const path = masterKeyPath(dataDir)
	try {
		const keys = readMasterKeys(dataDir)
		return { keys, key: keys.newest, path, created: false }
	} catch (error) {
		if (!isMissing(error)) throw error
	}
	const key = randomBytes(32)
	placeKey(path, key)
	return { keys: { newest: key, previous: null }, key, path, created: true }
}

/** Installs a new key and keeps the previous one beside it. At every moment both files contain a whole key. */
export function replaceMasterKey(dataDir: string, key: Buffer): void {
	const path = masterKeyPath(dataDir)
	placeKey(previousKeyPath(dataDir), readKey(path))
	placeKey(path, key)
}

/** Deletes the previous key permanently: secrets that only it could open are lost. */
export function dropPreviousMasterKey(dataDir: string): void {
	rmSync(previousKeyPath(dataDir), { force: true })
	syncDirectory(dataDir)
}

/** On a full disk and after a kill, the file is whole, or as it was. */
function placeKey(path: string, key: Buffer): void {
	writeKey(`${path}.new`, key)
	renameSync(`${path}.new`, path)
	syncDirectory(dirname(path))
}

function writeKey(path: string, key: Buffer): void {
	writeFileSync(path, `${key.toString('hex')}\n`, { mode: 0o600, flush: true })
}

/** A rename is durable only after its directory is synced. */
function syncDirectory(directory: string): void {
	const handle = openSync(directory, 'r')
	fsyncSync(handle)
	closeSync(handle)
}

function readKey(path: string): Buffer {
	const text = readFileSync(path, 'utf8')
	try {
		return parseMasterKey(text)
	} catch (error) {
		throw new Error(`${path}: ${(error as Error).message}`)
	}
}

function readOptional(path: string): Buffer | null {
	try {
		return readKey(path)
	} catch (error) {
		if (isMissing(error)) return null
		throw error
	}
}

function isMissing(error: unknown): boolean {
	return (error as NodeJS.ErrnoException).code === 'ENOENT'
}
