import type { Program } from '../../server/src/program/program.testing.ts'
import { type FixtureEras, startFixture } from '../fixtures/start-fixture.ts'
import { startHeaderShim } from './header-shim.ts'

/** MCP endpoints that the suite can be pointed at. */
export interface Targets {
	/** By the eras that the fixture supports. */
	urls: Readonly<Record<string, string>>
	close(): Promise<void>
}

interface Part {
	url: string
	close(): Promise<void>
}

/** Starts fixtures without the gateway. */
export async function startDirect(fixtures: readonly FixtureEras[]): Promise<Targets> {
	const started = await Promise.all(fixtures.map((eras) => startFixture(eras)))
	return together(fixtures, started)
}

/** Starts fixtures behind a real program, for an agent whose grants name each tool, prompt and resource. */
export async function startBehindGateway(
	program: Program,
	fixtures: readonly FixtureEras[],
): Promise<Targets> {
	const started = await Promise.all(fixtures.map((eras) => startFixture(eras)))
	const agent = await program.api<{ id: string }>('POST', '/v1/agents', { name: 'Conformance' }, 201)
	const { key } = await program.api<{ key: string }>(
		'POST',
		`/v1/agents/${agent.id}/keys`,
		{ name: 'suite' },
		201,
	)
	const shims: Part[] = []
	for (const [at, eras] of fixtures.entries()) {
		const slug = await grantFixture(program, agent.id, eras, started[at]?.url ?? '')
		shims.push(await startHeaderShim(`${program.url}/mcp/${slug}`, key))
	}
	const { urls } = together(fixtures, shims)
	const close = async () => {
		await Promise.all(shims.map((shim) => shim.close()))
		await Promise.all(started.map((fixture) => fixture.close()))
	}
	return { urls, close }
}

function together(fixtures: readonly FixtureEras[], parts: readonly Part[]): Targets {
	const close = async () => {
		await Promise.all(parts.map((part) => part.close()))
	}
	return { urls: Object.fromEntries(fixtures.map((eras, at) => [eras, parts[at]?.url ?? ''])), close }
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

/** Registers a fixture, grants its tools, prompts and resources one by one, and returns its slug. */
async function grantFixture(
	program: Program,
	agentId: string,
	name: string,
	fixtureUrl: string,
): Promise<string> {
	const servers = '/v1/mcp/servers'
	const body = { name, url: fixtureUrl }
	const { id, slug } = await program.api<{ id: string; slug: string }>('POST', servers, body, 201)
	const { tools } = await program.api<{ tools: { name: string }[] }>('GET', `${servers}/${id}/tools`)
	const grant = {
		agent_uuid: agentId,
		access_mode: 'selected',
		allowed_tools: tools.map((tool) => tool.name),
		allowed_prompts: prompts,
		allowed_resources: resources,
	}
	await program.api('POST', `${servers}/${id}/access`, grant, 201)
	return slug
}
