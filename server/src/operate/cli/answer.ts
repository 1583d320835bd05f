import type { Command } from 'commander'
import { printResult } from './outcome.ts'
import { plainLine, writeError } from './terminal.ts'

interface GlobalOptions {
	json?: boolean
	quiet?: boolean
	yes?: boolean
	url?: string
	key?: string
	profile?: string
}

/** The options that every command accepts. */
export function globalOptions(command: Command): GlobalOptions {
	return command.optsWithGlobals<GlobalOptions>()
}

/** Prints a result: lines, or with `--json` one document. */
export function answer(command: Command, value: unknown, lines: readonly string[]): void {
	printResult(globalOptions(command).json === true, value, lines)
}

/** Confirms an action: one line, omitted with `--quiet`, or with `--json` the document. */
export function confirmDone(command: Command, value: unknown, line: string): void {
	const { json, quiet } = globalOptions(command)
	printResult(json === true, value, quiet ? [] : [line])
}

/** Prints a remark on standard error, besides the result. */
export function printNote(command: Command, text: string): void {
	const { json, quiet } = globalOptions(command)
	if (!json && !quiet) writeError(`${text}\n`, false)
}

/** Warns on standard error, with `--json` as one document. */
export function printWarning(command: Command, text: string): void {
	const json = globalOptions(command).json === true
	writeError(json ? `${JSON.stringify({ warning: { message: text } })}\n` : `Warning: ${text}\n`, json)
}

/** Lines with columns of sufficient width; the first row is the header. */
export function toTable(rows: readonly (readonly string[])[]): string[] {
	const cells = rows.map((row) => row.map(plainLine))
	const widths = (cells[0] ?? []).map((_, column) =>
		Math.max(...cells.map((row) => row[column]?.length ?? 0)),
	)
	return cells.map((row) =>
		row
			.map((cell, column) => cell.padEnd(widths[column] ?? 0))
			.join('  ')
			.trimEnd(),
	)
}
