import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { CommanderError } from 'commander'
import { ConfigError } from '../../config/config.ts'
import { describeFullDisk, freesDisk } from '../../platform/disk-full.ts'
import { writeOut } from './terminal.ts'

/** Exit codes of all commands. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, notAllowed: 3, notFound: 4 } as const

/** A failure of a command with its exit code; `details` are additional lines, such as the mistakes in a file. */
export class CommandFailure extends Error {
	readonly exitCode: number
	readonly details: readonly string[]

	constructor(exitCode: number, message: string, details: readonly string[] = []) {
		super(message)
		this.exitCode = exitCode
		this.details = details
	}
}

export interface Outcome {
	exitCode: number
	message: string
	/** Commander has printed its own error already, except with `--json`. */
	reported: boolean
	/** Code from the error catalogue if the API or its rules refused. */
	code: string | null
	details: readonly string[]
	/** The failure is of a rule that this command applied to a store of this machine, not the answer of an instance. */
	isLocal: boolean
}

const plain = { reported: false, code: null, details: [], isLocal: false } as const

/**
 * The message and exit code for anything that a command may throw. A command that uses no stores of this machine writes only files
 * that it was told to.
 */
export function outcomeOf(error: unknown, usesStores: boolean): Outcome {
	if (error instanceof CommanderError) {
		const exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
		const isIncomplete = error.code === 'commander.help'
		const message = isIncomplete ? 'A command is missing.' : error.message.replace(/^error: /, '')
		return { ...plain, exitCode, message, reported: true }
	}
	const fullDisk = describeFullDisk(error)
	const remedy = usesStores
		? `${fullDisk}. To free it, ${freesDisk}.`
		: 'The disk of the file to write is full.'
	const message = fullDisk !== null ? remedy : textOf(error)
	const code = codeOf(error)
	if (error instanceof CommandFailure)
		return { ...plain, exitCode: error.exitCode, message, details: error.details }
	if (error instanceof ConfigError) return { ...plain, exitCode: exitCodes.failed, message }
	const missing = missingFile(error)
	if (missing !== null) return { ...plain, exitCode: exitCodes.notFound, message: missing, code }
	const details = fieldsOf(error)
	if (hasStatus(error)) {
		const isLocal = !('requestId' in error)
		return { ...plain, exitCode: exitCodeOf(error.status), message, code, details, isLocal }
	}
	const denied = code === 'EACCES' || code === 'EPERM'
	const exitCode = denied ? exitCodes.notAllowed : exitCodes.failed
	return { ...plain, exitCode, message, code, details }
}

function missingFile(error: unknown): string | null {
	const { code, syscall, path } = (error ?? {}) as NodeJS.ErrnoException
	if (code !== 'ENOENT' || syscall !== 'open' || path === undefined) return null
	const folder = dirname(path)
	return existsSync(folder) ? `There is no file ${path}.` : `There is no folder ${folder}.`
}

function textOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error)
}

/**
 * A `Problem` of our own rules or an `ApiProblem` of the API. Recognised by its shape, because importing both would slow down every
 * command.
 */
function hasStatus(error: unknown): error is Error & { status: number } {
	return error instanceof Error && 'status' in error && typeof error.status === 'number'
}

function codeOf(error: unknown): string | null {
	return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

/** The invalid fields of an `ApiProblem`, unless its message already names them. */
function fieldsOf(error: unknown): readonly string[] {
	const fields =
		error instanceof Error && 'fields' in error && Array.isArray(error.fields) ? error.fields : []
	return fields.length < 2 ? [] : fields.map(({ pointer, detail }) => `${pointer} ${detail}`)
}

function exitCodeOf(status: number): number {
	if (status === 404) return exitCodes.notFound
	if (status === 401 || status === 403) return exitCodes.notAllowed
	return status === 400 || status === 422 ? exitCodes.usage : exitCodes.failed
}

/** Prints a result: lines for people, or one JSON document for programs. */
export function printResult(json: boolean, value: unknown, lines: readonly string[]): void {
	const text = json ? JSON.stringify(value, null, 2) : lines.join('\n')
	if (text !== '') writeOut(`${text}\n`, json)
}
