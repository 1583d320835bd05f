import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { buildGoExporter, installPythonExporter } from './install-exporters.ts'

const run = promisify(execFile)
const dataDir = newDataDir()
let program: Program
let token: string
let grpcPort: number

// Requests of these exporters are also recorded in server/src/telemetry/otlp/recorded, and the recordings are tested on every machine.
describe.runIf(process.env.LONG_TESTS)('stock exporters of other languages', () => {
	beforeAll(async () => {
		grpcPort = 20_000 + Math.floor(Math.random() * 20_000)
		program = await startProgram(dataDir, { SIGNALBOX_OTLP_GRPC_PORT: String(grpcPort) })
		token = (await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 't' }, 201)).token
	})
	afterAll(async () => {
		await program?.kill('SIGTERM')
		removeDataDir(dataDir)
	})

	async function send([command = '', ...args]: string[], protocol: string, endpoint: string): Promise<void> {
		const settings = {
			OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
			OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
			OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${token}`,
			OTEL_SERVICE_NAME: `${command.split('/').at(-1)}-${protocol}`,
		}
		const { stderr } = await run(command, args, { env: { ...process.env, ...settings } })
		expect(stderr).toBe('')
	}

	async function expectTrace(service: string): Promise<void> {
		await vi.waitFor(async () => {
			const { spans } = await program.api<{ spans: { name: string; kind: string; status: string }[] }>(
				'GET',
				`/v1/telemetry/spans?start=-1h&service=${encodeURIComponent(service)}`,
			)
			expect(spans.map(({ name, kind, status }) => [name, kind, status]).sort()).toEqual([
				['invoke_agent planner', 'other', 'unset'],
				['tools/call search', 'tool_call', 'error'],
			])
		}, 10_000)
	}

	it('Go, by HTTP and by gRPC', async ({ skip }) => {
		const go = buildGoExporter()
		if (!go) return skip('there is no Go, or its modules cannot be fetched')
		await send(go, 'http/protobuf', program.url)
		await send(go, 'grpc', `http://127.0.0.1:${grpcPort}`)
		for (const protocol of ['http/protobuf', 'grpc']) await expectTrace(`go-exporter-${protocol}`)
	}, 900_000)

	it('Python, by HTTP', async ({ skip }) => {
		const python = installPythonExporter()
		if (!python) return skip('there is no Python, or its packages cannot be fetched')
		await send(python, 'http/protobuf', program.url)
		await expectTrace('python-http/protobuf')
	}, 600_000)
})
