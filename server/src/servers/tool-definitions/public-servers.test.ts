import { describe, expect, it } from 'vitest'
import type { ToolDefinition } from './definition.ts'
import { type Release, readReleases } from './fixtures/fixtures.testing.ts'
import { hashDefinition, scanDefinition } from './scan/scan-definition.ts'
import { evaluateDefinition } from './settle-tools.ts'

const releases = readReleases('releases')

/** Releases after which the server itself rejects calls that were valid before, and why. */
const breaking: Record<string, string> = {
	'@modelcontextprotocol/server-filesystem 2025.11.25':
		'the release before it had lost the schemas of 13 tools',
	'@modelcontextprotocol/server-everything 2026.1.14': 'twelve of its thirteen tools got other names',
	'@playwright/mcp 0.0.82': 'it withdrew two tools',
	'chrome-devtools-mcp 1.8.0': 'pageId became required in 25 tools',
	'chrome-devtools-mcp 1.11.0': 'a width of resize_page must be an integer from now on',
}

describe('releases of public servers', () => {
	const steps = releases.flatMap((release, index) => {
		const before = releases[index - 1]
		return before?.package === release.package ? [{ before, after: release }] : []
	})
	/** The tools that an agent with access to all tools loses: removed or suspended ones. */
	const lostBy = ({ before, after }: { before: Release; after: Release }) =>
		before.tools.filter((approved) => {
			const tool = after.tools.find(({ name }) => name === approved.name)
			return !tool || evaluate(approved, tool) === 'suspended'
		})
	const ordinary = steps.filter(({ after }) => !(`${after.package} ${after.version}` in breaking))

	it.each(ordinary)('$after.package $after.version removes no tool from an agent that had it', (step) => {
		expect(lostBy(step).map(({ name }) => name)).toEqual([])
	})

	it('include over twenty that change something', () => {
		const changes = ordinary.filter(({ before, after }) => {
			const hashes = new Map(before.tools.map((tool) => [tool.name, hashDefinition(tool)]))
			return after.tools.some((tool) => hashes.get(tool.name) !== hashDefinition(tool))
		})
		expect(steps.length).toBeGreaterThanOrEqual(45)
		expect(changes.length).toBeGreaterThanOrEqual(20)
	})

	it('remove tools only if they break calls', () => {
		const broken = steps.filter((step) => lostBy(step).length > 0)
		expect(broken.map(({ after }) => `${after.package} ${after.version}`).sort()).toEqual(
			Object.keys(breaking).sort(),
		)
	})
})

function evaluate(approved: ToolDefinition, current: ToolDefinition) {
	return evaluateDefinition({
		policy: 'keep-approved',
		hash: hashDefinition(current),
		approvedHash: hashDefinition(approved),
		rejected: false,
		current,
		approved,
		hides: scanDefinition(current).some(({ severity }) => severity === 'high'),
		held: true,
		firstSight: false,
	}).state
}

it('at most one in a hundred tools of public servers is flagged', () => {
	const tools = new Map(
		[...releases, ...readReleases('servers')].flatMap(({ package: of, tools }) =>
			tools.map((tool) => [`${of} ${tool.name}`, tool] as const),
		),
	)
	const flagged = [...tools].filter(([, tool]) => scanDefinition(tool).length > 0)
	expect(tools.size).toBeGreaterThanOrEqual(500)
	expect(flagged.length / tools.size, flagged.map(([name]) => name).join('\n')).toBeLessThanOrEqual(0.01)
	for (const [name, tool] of flagged)
		expect([name, scanDefinition(tool).map(({ severity }) => severity)]).toEqual([name, ['medium']])
})
