import { newDataDir, type Program, removeDataDir, startProgram } from '../../server/src/program.testing.ts'
import { type Fixture, type FixtureEras, startFixture } from '../fixtures/start-fixture.ts'
import { startHeaderShim } from './header-shim.ts'

/** An MCP endpoint that the suite can be pointed at. */
export interface Target {
	url: string
	close(): Promise<void>
}

/** A fixture by itself. */
export async function startDirect(eras: FixtureEras): Promise<Target> {
	return startFixture(eras)
}

/** A fixture behind the real program, for an agent that was granted each thing by name. */
export async function startBehindGateway(eras: FixtureEras): Promise<Target> {
	const fixture = await startFixture(eras)
	const dataDir = newDataDir()
	const program = await startProgram(dataDir)
	const key = await grantFixture(program, fixture)
	const shim = await startHeaderShim(`${program.url}/mcp/fixture`, key)
	const close = async () => {
		await shim.close()
		await program.kill('SIGTERM')
		removeDataDir(dataDir)
		await fixture.close()
	}
	return { url: shim.url, close }
}

const prompts = [
	'test_simple_prompt',
	'test_prompt_with_arguments',
	'test_prompt_with_embedded_resource',
	'test_prompt_with_image',
	'test_input_required_result_prompt',
]
const resources = [
	'test://static-text',
	'test://static-binary',
	'test://watched-resource',
	'test://example-resource',
	'test://template/{id}/data',
]

/** Registers the fixture and grants an agent its tools, prompts and resources one by one; the agent's key. */
async function grantFixture(program: Program, fixture: Fixture): Promise<string> {
	const server = await program.api<{ id: string }>(
		'POST',
		'/v1/mcp/servers',
		{ name: 'Fixture', url: fixture.url },
		201,
	)
	const { tools } = await program.api<{ tools: { name: string }[] }>(
		'GET',
		`/v1/mcp/servers/${server.id}/tools`,
	)
	const agent = await program.api<{ id: string }>('POST', '/v1/agents', { name: 'Conformance' }, 201)
	const grant = {
		agent_uuid: agent.id,
		access_mode: 'selected',
		allowed_tools: tools.map(({ name }) => name),
		allowed_prompts: prompts,
		allowed_resources: resources,
	}
	await program.api('POST', `/v1/mcp/servers/${server.id}/access`, grant, 201)
	const { key } = await program.api<{ key: string }>(
		'POST',
		`/v1/agents/${agent.id}/keys`,
		{ name: 'suite' },
		201,
	)
	return key
}
