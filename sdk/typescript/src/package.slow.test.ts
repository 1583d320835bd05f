import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, it } from 'vitest'

const run = promisify(execFile)
const home = fileURLToPath(new URL('..', import.meta.url))
const project = mkdtempSync(join(tmpdir(), 'signalbox-package-'))
/** The other dependencies of an author's project, in the versions of this repository. */
const beside = ['@modelcontextprotocol/sdk', '@opentelemetry/api', '@types/node', 'typescript']

const program = `
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { type Handle, instrument, instrumentClient, type Options } from '@signalbox/sdk'
import { ApiProblem, createClient, take } from '@signalbox/sdk/management'
import '@signalbox/sdk/register'

const options: Options = { endpoint: 'http://127.0.0.1:1', capture: { arguments: true } }
const handle: Handle = instrument(new McpServer({ name: 'empty', version: '1' }), options)
// @ts-expect-error: a capture is no text.
instrumentClient({ connect: async () => {} }, { capture: 'all' })
await handle.shutdown()
const api = createClient({ baseUrl: 'http://127.0.0.1:1', key: 'sk_service_none' })
const failed = await take(api.GET('/v1/agents')).then(({ agents }) => agents.length, (error: unknown) => error)
console.log(handle.problems.length, typeof ApiProblem, failed instanceof Error)
`
const compilerOptions = {
	strict: true,
	exactOptionalPropertyTypes: true,
	noUncheckedIndexedAccess: true,
	noImplicitOverride: true,
	noPropertyAccessFromIndexSignature: true,
	noUncheckedSideEffectImports: true,
	verbatimModuleSyntax: true,
	target: 'es2022',
	module: 'nodenext',
	types: ['node'],
	skipLibCheck: true,
}

beforeAll(async () => {
	const flags = ['--ignore-scripts', '--pack-destination', project, '--json']
	const { stdout } = await run('npm', ['pack', ...flags], { cwd: home })
	const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
	writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
	const packages = [`./${filename}`, ...beside.map((name) => `${name}@${versionOf(name)}`)]
	const quiet = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1']
	await run('npm', ['install', ...quiet, ...packages], { cwd: project })
}, 240_000)
afterAll(() => rmSync(project, { recursive: true, force: true }))

function versionOf(name: string): string {
	const manifest = fileURLToPath(new URL(`../../../node_modules/${name}/package.json`, import.meta.url))
	return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}

it('its tarball works in an empty project with the strictest compiler options', async () => {
	writeFileSync(join(project, 'main.ts'), program)
	writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }))
	const compile = [join(project, 'node_modules/typescript/bin/tsc'), '-p', project]
	const { stdout: errors } = await run(process.execPath, compile).catch((error: { stdout: string }) => error)
	expect(errors).toBe('')
	const { stdout, stderr } = await run(process.execPath, [join(project, 'main.js')])
	expect([stdout, stderr]).toEqual(['0 function true\n', ''])
})

it('its example shows what it promises, using the installed package', async () => {
	const example = join(project, 'observed-server.mjs')
	copyFileSync(join(project, 'node_modules/@signalbox/sdk/examples/observed-server.mjs'), example)
	const { stdout, stderr } = await run(process.execPath, [example])
	expect(stdout).toMatch(/^One trace: [0-9a-f]{32}\n$/)
	expect(stderr).toBe('')
})

it('its declarations are valid without the types of other packages', async () => {
	const own = { ...compilerOptions, skipLibCheck: false, noEmit: true }
	writeFileSync(
		join(project, 'own.ts'),
		"export * from '@signalbox/sdk'\nexport * from '@signalbox/sdk/management'\n",
	)
	writeFileSync(
		join(project, 'tsconfig.own.json'),
		JSON.stringify({ compilerOptions: own, files: ['own.ts'] }),
	)
	const compile = [join(project, 'node_modules/typescript/bin/tsc'), '-p', join(project, 'tsconfig.own.json')]
	const { stdout } = await run(process.execPath, compile).catch((error: { stdout: string }) => error)
	expect(stdout).toBe('')
})

it('publint finds no problems in what is published', async () => {
	const { messages } = await publint({
		pkgDir: join(project, 'node_modules/@signalbox/sdk'),
		pack: false,
		strict: true,
	})
	expect(messages).toEqual([])
})
