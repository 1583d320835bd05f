import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
	type Insertion,
	type Instructions,
	instructionsFor,
	readProject,
	readSource,
	type Source,
} from './instrument-command.ts'

let folder: string
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'signalbox-instrument-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function look(
	files: Record<string, string>,
): Source & Instructions & { sdk: string; version: string | null } {
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, name)), { recursive: true })
		writeFileSync(join(folder, name), text)
	}
	const project = readProject(folder)
	const source = readSource(folder, project)
	return { ...source, ...instructionsFor(project, source, 'https://box.test'), ...project }
}

/** The file with the lines inserted. */
function applied(text: string, insert: readonly Insertion[]): string {
	const lines = text.split('\n')
	for (const { after_line, text: line } of insert.toReversed()) lines.splice(after_line, 0, line)
	return lines.join('\n')
}

const typescript = `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

export function build() {
	const orders = new McpServer(
		{ name: 'orders (ours)', version: '1' },
	);
	return orders;
}
`
const python = `"""Orders."""
from __future__ import annotations

from mcp.server.fastmcp import FastMCP

mcp = FastMCP("orders", instructions="find :)")

mcp.run(transport="streamable-http")
`

describe('the lines that instrument a server', () => {
	it('follow the statement that creates it, in TypeScript', () => {
		const seen = look({
			'package.json': JSON.stringify({
				dependencies: { '@modelcontextprotocol/sdk': '^1.20.0' },
				scripts: { start: 'tsc && node --enable-source-maps dist/index.js' },
			}),
			'node_modules/@modelcontextprotocol/sdk/package.json': '{"version":"1.32.2"}',
			'node_modules/other/index.js': 'const server = new McpServer()',
			'pnpm-lock.yaml': '',
			'src/index.ts': typescript,
		})
		expect([seen.sdk, seen.version, seen.transports]).toEqual([
			'@modelcontextprotocol/sdk',
			'1.32.2',
			['stdio'],
		])
		expect(seen.install).toBe('pnpm add @signalbox/sdk @opentelemetry/api')
		expect(seen.change?.file).toBe(join('src', 'index.ts'))
		expect(applied(typescript, seen.change?.insert ?? [])).toBe(
			`import { instrument } from '@signalbox/sdk';\n${typescript.replace('\t);\n', '\t);\n\tinstrument(orders);\n')}`,
		)
		expect(seen.without_change).toBe('node --import @signalbox/sdk/register dist/index.js')
		expect(seen.environment.SIGNALBOX_SDK_ENDPOINT).toBe('https://box.test')
	})

	it('follow it in Python, after statements that must come first', () => {
		const seen = look({
			'pyproject.toml': '[project]\nname = "mcp"\ndependencies = ["httpx", "mcp[cli]>=1.9"]\n',
			'uv.lock': '',
			'server.py': python,
		})
		expect([seen.sdk, seen.version, seen.transports]).toEqual(['mcp', '>=1.9', ['streamable HTTP']])
		expect(seen.install).toBe('uv add signalbox-sdk')
		expect(applied(python, seen.change?.insert ?? []).split('\n')).toEqual(
			python
				.replace('annotations\n', 'annotations\nfrom signalbox_sdk import instrument\n')
				.replace(':)")\n', ':)")\ninstrument(mcp)\n')
				.split('\n'),
		)
		expect(seen.without_change).toBe('opentelemetry-instrument python server.py')
	})

	it('use CommonJS in a CommonJS file, with a warning for a version that is too old', () => {
		const seen = look({
			'package.json': '{"dependencies":{"@modelcontextprotocol/sdk":"1.9.0"},"main":"index.js"}',
			'index.js': "const { Server } = require('x')\nlet s = new Server({}, {})\n",
		})
		expect(seen.change?.insert).toEqual([
			{ after_line: 0, text: "const { instrument } = require('@signalbox/sdk')" },
			{ after_line: 2, text: 'instrument(s)' },
		])
		expect(seen.warnings).toHaveLength(1)
	})

	it('are left out if no variable holds the server; without a project the reason is given', () => {
		expect(() => readProject(folder)).toThrow('No package.json')
		const seen = look({
			'requirements.txt': 'fastmcp==4.1.2\n',
			'main.py': 'app = make()\n',
		})
		expect([seen.sdk, seen.version, seen.change]).toEqual(['fastmcp', '==4.1.2', null])
	})
})
