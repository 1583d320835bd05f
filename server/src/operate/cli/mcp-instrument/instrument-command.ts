import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { answer } from '../answer.ts'
import { urlOf } from '../connection.ts'
import { CommandFailure, exitCodes } from '../outcome.ts'

/** Shows which lines to insert where; it changes nothing. */
export function showInstrument(folder: string | undefined, _options: object, command: Command): void {
	const at = resolve(folder ?? '.')
	const project = readProject(at)
	const source = readSource(at, project)
	const instructions = instructionsFor(project, source, urlOf(command))
	const { language, sdk, version } = project
	const found = { language, sdk, version, file: source.server?.file ?? null, transports: source.transports }
	answer(command, { ...found, ...instructions }, linesOf(project, source, instructions))
}

function linesOf(project: Project, source: Source, instructions: Instructions): string[] {
	return [
		headOf(project, source),
		...instructions.warnings.map((warning) => `! ${warning}`),
		'',
		`Install:\n  ${instructions.install}`,
		'',
		...changeOf(instructions),
		'Set where it runs (`signalbox api POST /v1/ingest-tokens \'{"name":"sdk"}\' --get token` makes a token):',
		...Object.entries(instructions.environment).map(([name, value]) => `  ${name}=${value}`),
		'',
		`Or leave the code as it is${project.language === 'python' ? ' (pip install "signalbox-sdk[auto]")' : ''}:`,
		`  ${instructions.without_change}`,
	]
}

function headOf({ sdk, version }: Project, { server, transports }: Source): string {
	const over = transports.length > 0 ? ` over ${transports.join(' and ')}` : ''
	return `A server of ${sdk}${version ? ` ${version}` : ''}${over}${server ? `, made in ${server.file}` : ''}.`
}

function changeOf({ change }: Instructions): string[] {
	if (!change)
		return ['No statement was found that keeps a server in a variable: leave the code as it is.', '']
	const lines = change.insert.map(({ after_line, text }) =>
		after_line === 0 ? `  first line:     ${text}` : `  after line ${`${after_line}:`.padEnd(4)} ${text}`,
	)
	return [`Put into ${change.file}:`, ...lines, '']
}

/** One line to insert into a file. */
export interface Insertion {
	/** Line number in the unchanged file, from 1; 0 inserts at the beginning. */
	after_line: number
	text: string
}

/** The changes, by line, that make a server send its view of each call. */
export interface Instructions {
	install: string
	/** Null if no statement was found that keeps the server in a variable. */
	change: { file: string; insert: readonly Insertion[] } | null
	environment: Readonly<Record<string, string>>
	/** A command that has the same effect without changing the code. */
	without_change: string
	/** Problems to solve first. */
	warnings: readonly string[]
}

const imports = {
	esm: "import { instrument } from '@signalbox/sdk'",
	commonjs: "const { instrument } = require('@signalbox/sdk')",
	python: 'from signalbox_sdk import instrument',
}
/** The first version with streamable HTTP; hosts are tested from this version on. */
const lowest = { sdk: '@modelcontextprotocol/sdk', major: 1, minor: 10 }

export function instructionsFor(project: Project, { server }: Source, endpoint: string): Instructions {
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

/** Follows the file's own style: its imports end with a semicolon, or without. */
function endOfStatements(text: string): '' | ';' {
	return /(?:from ['"][^'"]+['"]|require\([^)]*\));/.test(text) ? ';' : ''
}

/** The line before the first import; in Python after statements that must come first. */
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

/** A version range may resolve to a later version than it names. */
function warningsOf({ sdk, version }: Project): string[] {
	const [, major = '', minor = ''] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? []
	if (sdk !== lowest.sdk || Number(major) !== lowest.major || Number(minor) >= lowest.minor) return []
	return [`${sdk} ${version} is older than ${lowest.major}.${lowest.minor}, the first that is supported.`]
}

/** What we know about the folder of an MCP server. */
interface Project {
	language: 'typescript' | 'python'
	/** Package of the MCP SDK that it uses. */
	sdk: string
	/** The installed version, otherwise the one in the manifest; null if neither is known. */
	version: string | null
	/** The command that installs our package with the project's package manager. */
	install: string
	/** The entry point for `node`, according to the manifest. */
	entry: string | null
}

interface Manifest {
	bin?: string | Record<string, string>
	main?: string
	scripts?: Record<string, string>
	dependencies?: Record<string, string>
	devDependencies?: Record<string, string>
}

const nodeSdks = ['@modelcontextprotocol/server', '@modelcontextprotocol/sdk']
const nodeTools = { 'pnpm-lock.yaml': 'pnpm add', 'yarn.lock': 'yarn add', 'bun.lock': 'bun add' }
const pythonTools = { 'uv.lock': 'uv add', 'poetry.lock': 'poetry add' }
const pythonManifests = ['pyproject.toml', 'requirements.txt']
const pythonSdk =
	/(?:^|["'\s[])(fastmcp|mcp)(?:\[[^\]]*\])?\s*(?:=\s*["'])?([<>=!~^]*\s*[\d.*]+)?(?=["',;\s\]]|$)/

/** Throws if the folder is not a project that uses one of the SDKs. */
export function readProject(folder: string): Project {
	const manifest = join(folder, 'package.json')
	const found = existsSync(manifest) ? readNode(folder, manifest) : null
	const project = found ?? readPython(folder)
	if (project) return project
	throw new CommandFailure(
		exitCodes.notFound,
		`No package.json and no ${pythonManifests.join(' or ')} in ${folder} names one of ${nodeSdks.join(', ')}, mcp and fastmcp.`,
	)
}

function readNode(folder: string, path: string): Project | null {
	const manifest = parse(path)
	const packages = { ...manifest.devDependencies, ...manifest.dependencies }
	const sdk = nodeSdks.find((name) => name in packages)
	if (sdk === undefined) return null
	const installed = join(folder, 'node_modules', sdk, 'package.json')
	const version = existsSync(installed) ? (parse(installed) as { version?: string }).version : packages[sdk]
	const install = `${toolOf(folder, nodeTools) ?? 'npm install'} @signalbox/sdk @opentelemetry/api`
	return { language: 'typescript', sdk, version: version ?? null, install, entry: entryOf(manifest) }
}

function parse(path: string): Manifest {
	try {
		return JSON.parse(readFileSync(path, 'utf8')) as Manifest
	} catch {
		throw new CommandFailure(exitCodes.failed, `${path} is not valid JSON.`)
	}
}

function entryOf({ bin, main, scripts }: Manifest): string | null {
	const started = /\bnode\s+(?:-\S+\s+)*([^\s&|;]+)/.exec(scripts?.start ?? '')?.[1]
	const first = typeof bin === 'object' ? Object.values(bin)[0] : bin
	return started ?? first ?? main ?? null
}

function readPython(folder: string): Project | null {
	for (const name of pythonManifests) {
		const path = join(folder, name)
		if (!existsSync(path)) continue
		const asked = sdkOfLines(readFileSync(path, 'utf8'))
		if (!asked) continue
		const install = `${toolOf(folder, pythonTools) ?? 'pip install'} signalbox-sdk`
		const version = installedInVenv(folder, asked.sdk) ?? asked.version
		return { language: 'python', sdk: asked.sdk, version, install, entry: null }
	}
	return null
}

function sdkOfLines(text: string): { sdk: string; version: string | null } | null {
	for (const line of text.split('\n')) {
		if (/^\s*(?:name|description|keywords|#)/.test(line)) continue
		const found = pythonSdk.exec(line)
		if (found?.[1]) return { sdk: found[1], version: found[2]?.trim() ?? null }
	}
	return null
}

/** Taken from the name of the folder that pip creates: `mcp-2.3.0.dist-info`. */
function installedInVenv(folder: string, sdk: string): string | null {
	const lib = join(folder, '.venv', 'lib')
	const homes = existsSync(lib) ? readdirSync(lib).map((name) => join(lib, name, 'site-packages')) : []
	const names = homes.filter(existsSync).flatMap((home) => readdirSync(home))
	const marks = names.flatMap((name) => /^(.+)-([\d.]+\w*)\.dist-info$/.exec(name) ?? [])
	return marks[marks.indexOf(sdk) + 1] ?? null
}

function toolOf(folder: string, tools: Readonly<Record<string, string>>): string | null {
	return Object.entries(tools).find(([lock]) => existsSync(join(folder, lock)))?.[1] ?? null
}

/** The place in the source where a server is created. */
interface ServerInSource {
	/** Path relative to the project's folder. */
	file: string
	text: string
	/** Name of the variable that holds it. */
	variable: string
	/** The indentation of its line. */
	indent: string
	/** The line, from 1, on which the statement that creates it ends. */
	line: number
}

export interface Source {
	server: ServerInSource | null
	transports: readonly string[]
}

const skipped = /^(?:node_modules|dist|build|out|coverage|venv|__pycache__|tests?|\..*)$|\.(?:test|spec)\./
const endings = { typescript: /^\.[mc]?[jt]s$/, python: /^\.py$/ }
const maxFiles = 2000
/** A statement that creates a server and keeps it in a variable, up to the opening parenthesis of its arguments. */
const made = {
	typescript:
		/^([ \t]*)(?:export )?(?:const|let|var) (\w+)(?:: [\w<>]+)? = new (?:McpServer|Server)(?:<[^>]*>)?\(/m,
	python: /^([ \t]*)(\w+)(?:: \w+)? = (?:\w+\.)?(?:FastMCP|MCPServer|Server)(?:\[[^\]]*\])?\(/m,
}
const transportWords: Readonly<Record<Project['language'], Readonly<Record<string, RegExp>>>> = {
	typescript: {
		stdio: /StdioServerTransport|serveStdio/,
		'streamable HTTP': /StreamableHTTPServerTransport|createMcpHandler/,
		SSE: /SSEServerTransport/,
	},
	python: {
		stdio: /stdio_server|\.run\(\s*\)|["']stdio["']/,
		'streamable HTTP': /streamable_http|["']streamable-http["']|["']http["']/,
		SSE: /sse_app|["']sse["']/,
	},
}

/** Searches the sources of a project for the server and its transport. */
export function readSource(folder: string, { language }: Project): Source {
	const files = sourceFiles(folder, endings[language])
	const texts = files.map((file) => ({ file: relative(folder, file), text: readFileSync(file, 'utf8') }))
	const words = Object.entries(transportWords[language])
	const transports = words.filter(([, word]) => texts.some(({ text }) => word.test(text)))
	for (const { file, text } of texts) {
		const server = serverIn(file, text, made[language])
		if (server) return { server, transports: transports.map(([name]) => name) }
	}
	return { server: null, transports: transports.map(([name]) => name) }
}

function sourceFiles(folder: string, ending: RegExp, found: string[] = []): string[] {
	const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
	for (const entry of entries.filter(({ name }) => !skipped.test(name))) {
		if (found.length >= maxFiles) break
		const path = join(folder, entry.name)
		if (entry.isDirectory()) sourceFiles(path, ending, found)
		else if (entry.isFile() && ending.test(extname(path)) && !path.endsWith('.d.ts')) found.push(path)
	}
	return found
}

function serverIn(file: string, text: string, statement: RegExp): ServerInSource | null {
	const found = statement.exec(text)
	if (!found) return null
	const [whole, indent = '', variable = ''] = found
	const end = closingOf(text, found.index + whole.length)
	return { file, text, variable, indent, line: text.slice(0, end).split('\n').length }
}

/** The position of the parenthesis that closes the one open at `from`; those in strings do not count. */
function closingOf(text: string, from: number): number {
	const parts = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|[()]/g
	parts.lastIndex = from
	for (let open = 1, part = parts.exec(text); part; part = parts.exec(text)) {
		if (part[0] === '(') open += 1
		else if (part[0] === ')') open -= 1
		if (open === 0) return part.index
	}
	return from
}
