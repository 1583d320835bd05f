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

/** The options that every command takes. */
export function globalOptions(command: Command): GlobalOptions {
	return command.optsWithGlobals<GlobalOptions>()
}

/** What was asked for: lines, or with `--json` one document. */
export function answer(command: Command, value: unknown, lines: readonly string[]): void {
	printResult(globalOptions(command).json === true, value, lines)
}

/** That something was done: one line that `--quiet` leaves out, or with `--json` the document. */
export function confirmDone(command: Command, value: unknown, line: string): void {
	const { json, quiet } = globalOptions(command)
	printResult(json === true, value, quiet ? [] : [line])
}

/** A remark beside the answer, on standard error. */
export function note(command: Command, text: string): void {
	const { json, quiet } = globalOptions(command)
	if (!json && !quiet) writeError(`${text}\n`, false)
}

/** Lines with columns as wide as they need to be; the first row is the heading. */
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
