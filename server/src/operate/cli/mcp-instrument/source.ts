import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import type { Project } from './project.ts'

/** Where a server is made. */
export interface ServerInSource {
	/** Relative to the folder of the project. */
	file: string
	text: string
	/** Name of the variable that holds it. */
	variable: string
	/** What stands before it on its line. */
	indent: string
	/** The line, from 1, on which the statement that makes it ends. */
	line: number
}

export interface Source {
	server: ServerInSource | null
	transports: readonly string[]
}

const skipped = /^(?:node_modules|dist|build|out|coverage|venv|__pycache__|tests?|\..*)$|\.(?:test|spec)\./
const endings = { typescript: /^\.[mc]?[jt]s$/, python: /^\.py$/ }
const mostFiles = 2000
/** A statement that makes a server and keeps it in a variable, up to the bracket of its arguments. */
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

/** Looks through the sources of a project for the server and how it is reached. */
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
		if (found.length >= mostFiles) break
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

/** Where the bracket closes that is open at `from`; brackets in texts do not count. */
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
