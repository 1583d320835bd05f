import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { pythonEnvironment } from '../../checks/src/python-environment.ts'
import { hashOf, ToolDefinitions } from '../typescript/src/observe/tool-definitions.ts'
import vectors from './tests/tool-definition-vectors.json' with { type: 'json' }

const folder = fileURLToPath(new URL('.', import.meta.url))
const python = pythonEnvironment()
const limitMs = 300_000

it.each(vectors)('its vectors of tool definitions are what the TypeScript SDK says: $name', (vector) => {
	const known = new ToolDefinitions()
	known.take([vector.tool])
	expect(known.of(vector.tool.name)).toEqual({
		'signalbox.tool.definition.hash': vector.hash,
		'signalbox.tool.definition.tokens': vector.tokens,
	})
	expect(hashOf(vector.tool)).toBe(vector.hash)
})

describe.skipIf(python === null)('the SDK for Python', () => {
	it('passes its own tests with the real packages', () => expectSuccess(['-m', 'pytest', '-q', '--no-header']), limitMs)

	it('has types that the strictest check accepts', () => expectSuccess(['-m', 'mypy']), limitMs)

	it('shows in its example what it promises', () => expectSuccess(['examples/observed_server.py']), limitMs)

	it('is a wheel that holds the package and nothing else', () => {
		const out = mkdtempSync(join(tmpdir(), 'signalbox-wheel-'))
		try {
			expectSuccess(['-m', 'build', '--no-isolation', '--outdir', out])
			const wheel = join(out, readdirSync(out).find((name) => name.endsWith('.whl')) as string)
			const names = execFileSync(python as string, ['-m', 'zipfile', '-l', wheel], { encoding: 'utf8' })
				.split('\n')
				.slice(1, -1)
				.map((line) => line.split(/\s/)[0] as string)
			expect(names.filter((name) => !/^signalbox_sdk\/(\w+\/)*\w+\.py$/.test(name)).sort()).toEqual([
				'signalbox_sdk-0.1.0.dist-info/METADATA',
				'signalbox_sdk-0.1.0.dist-info/RECORD',
				'signalbox_sdk-0.1.0.dist-info/WHEEL',
				'signalbox_sdk-0.1.0.dist-info/entry_points.txt',
				'signalbox_sdk-0.1.0.dist-info/licenses/LICENSE',
				'signalbox_sdk/py.typed',
			])
		} finally {
			rmSync(out, { recursive: true, force: true })
		}
	}, limitMs)
})

function expectSuccess(args: string[]): void {
	const { status, stdout, stderr } = spawnSync(python as string, args, { cwd: folder, encoding: 'utf8' })
	expect(status, stdout + stderr).toBe(0)
}
