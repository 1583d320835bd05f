import { resolve } from 'node:path'
import type { Command } from 'commander'
import { answer } from '../answer.ts'
import { urlOf } from '../connection.ts'
import { type Project, readProject, readSource, type ServerInSource, type Source } from './project.ts'

/** Shows what to put where; it changes nothing. */
export function showInstrument(folder: string | undefined, _options: object, command: Command): void {
	const at = resolve(folder ?? '.')
	const project = readProject(at)
	const source = readSource(at, project)
	const plan = planFor(project, source, urlOf(command))
	const { language, sdk, version } = project
	const found = { language, sdk, version, file: source.server?.file ?? null, transports: source.transports }
	answer(command, { ...found, ...plan }, linesOf(project, source, plan))
}

function linesOf(project: Project, source: Source, plan: Plan): string[] {
	return [
		headOf(project, source),
		...plan.warnings.map((warning) => `! ${warning}`),
		'',
		`Install:\n  ${plan.install}`,
		'',
		...changeOf(plan),
		'Set where it runs (`signalbox api POST /v1/ingest-tokens \'{"name":"sdk"}\' --get token` makes a token):',
		...Object.entries(plan.environment).map(([name, value]) => `  ${name}=${value}`),
		'',
		`Or leave the code as it is${project.language === 'python' ? ' (pip install "signalbox-sdk[auto]")' : ''}:`,
		`  ${plan.without_change}`,
	]
}

function headOf({ sdk, version }: Project, { server, transports }: Source): string {
	const over = transports.length > 0 ? ` over ${transports.join(' and ')}` : ''
	return `A server of ${sdk}${version ? ` ${version}` : ''}${over}${server ? `, made in ${server.file}` : ''}.`
}

function changeOf({ change }: Plan): string[] {
	if (!change)
		return ['No statement was found that keeps a server in a variable: leave the code as it is.', '']
	const lines = change.insert.map(({ after_line, text }) =>
		after_line === 0 ? `  first line:     ${text}` : `  after line ${`${after_line}:`.padEnd(4)} ${text}`,
	)
	return [`Put into ${change.file}:`, ...lines, '']
}

/** One line to put into a file. */
export interface Insertion {
	/** From 1; 0 is before everything. Lines are those of the file as it is. */
	after_line: number
	text: string
}

/** What makes a server send its view of each call, to the line. */
export interface Plan {
	install: string
	/** Null where no statement was found that keeps the server in a variable. */
	change: { file: string; insert: readonly Insertion[] } | null
	environment: Readonly<Record<string, string>>
	/** The command that does the same and leaves the code as it is. */
	without_change: string
	/** What stands in the way. */
	warnings: readonly string[]
}

const imports = {
	esm: "import { instrument } from '@signalbox/sdk'",
	commonjs: "const { instrument } = require('@signalbox/sdk')",
	python: 'from signalbox_sdk import instrument',
}
/** The first with streamable HTTP, from which on hosts are tested. */
const lowest = { sdk: '@modelcontextprotocol/sdk', major: 1, minor: 10 }

export function planFor(project: Project, { server }: Source, endpoint: string): Plan {
	return {
		install: project.install,
		change: server && { file: server.file, insert: insertions(project, server) },
		environment: { SIGNALBOX_SDK_ENDPOINT: endpoint, SIGNALBOX_SDK_TOKEN: '<ingest token>' },
		without_change: withoutChange(project, server),
		warnings: warningsOf(project),
	}
}

function insertions({ language }: Project, server: ServerInSource): Insertion[] {
	const end = language === 'python' ? '' : endOfStatements(server.text)
	const importing = language === 'python' ? imports.python : imports[styleOf(server)] + end
	return [
		{ after_line: lineOfImports(server.text), text: importing },
		{ after_line: server.line, text: `${server.indent}instrument(${server.variable})${end}` },
	]
}

function styleOf({ file, text }: ServerInSource): 'esm' | 'commonjs' {
	return file.endsWith('.cjs') || (/\brequire\(/.test(text) && !/^import /m.test(text)) ? 'commonjs' : 'esm'
}

/** Most files have a semicolon after an import, or none. */
function endOfStatements(text: string): '' | ';' {
	return /(?:from ['"][^'"]+['"]|require\([^)]*\));/.test(text) ? ';' : ''
}

/** Before the first import; after what must be first in Python. */
function lineOfImports(text: string): number {
	const lines = text.split('\n')
	const future = lines.findLastIndex((line) => line.startsWith('from __future__ import'))
	if (future >= 0) return future + 1
	const first = lines.findIndex((line) =>
		/^(?:import\b|from \S+ import|(?:const|var) .*require\()/.test(line),
	)
	return Math.max(0, first)
}

function withoutChange({ language, entry }: Project, server: ServerInSource | null): string {
	const file = entry ?? server?.file ?? (language === 'python' ? 'server.py' : 'server.js')
	return language === 'python'
		? `opentelemetry-instrument python ${file}`
		: `node --import @signalbox/sdk/register ${file}`
}

/** A range may bring a later version than it names. */
function warningsOf({ sdk, version }: Project): string[] {
	const [, major = '', minor = ''] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? []
	if (sdk !== lowest.sdk || Number(major) !== lowest.major || Number(minor) >= lowest.minor) return []
	return [`${sdk} ${version} is older than ${lowest.major}.${lowest.minor}, the first that is supported.`]
}
