import { impossible } from './impossible.ts'
import { type Quadrant, serverName } from './quadrants.ts'
import { type RequirementSet, requirementSets, type ScenarioResult } from './run-suite.ts'

const introduction = `# Conformance

The official suite \`@modelcontextprotocol/conformance@0.2.0-alpha.12\`, pointed at a server of the official SDK that has
everything it asks for (\`checks/fixtures\`): by itself, and through Signalbox for an agent whose grant names each tool,
prompt and resource. The suite cannot send a credential, so a relay on loopback adds the agent's key to each request and
changes nothing else (\`checks/conformance/header-shim.ts\`).

The other way round, the suite plays the MCP server and its authorization server, and judges our connector: each scenario is
registered as a server, an admin agrees where a consent is needed, and a stock agent calls it through the gateway
(\`checks/conformance/client\`). What is not required there are extensions: other grants than those of people and of client
secrets, and DPoP.

Our own authorization server passes the suite's checks of one (\`checks/system/authorization-conformance.test.ts\`).

\`npm run conformance\` writes this page. \`npm run test:long\` runs all of it and fails when the page says something else; \`npm test\` runs the gateway between a
client and a server of each era, and the connector.
Warnings of the suite, which are about what the protocol recommends only, are shown by the command.

The suite waits 500 to 1,500 ms for some answers, so a busy machine can fail it. Three runs in a row on two cores with a load of 10 to
27 gave these results (3 to 8 minutes each). Earlier ones failed twice: the tool whose answer is awaited for 500 ms slept 150 ms of
them, and the relay closed connections that it had announced as open.`

/** The page of results, without anything that differs from run to run. */
export function writePage(quadrants: readonly Quadrant[]): string {
	return [
		introduction,
		'## Required scenarios',
		summary(quadrants),
		'## What no translation can do',
		list(),
		...requirementSets.flatMap((set) => [`## ${set}`, details(set, quadrants.filter(isServerSide))]),
		...requirementSets.flatMap((set) => [
			`## Our connector, ${set}`,
			details(
				set,
				quadrants.filter((each) => !isServerSide(each)),
			),
		]),
	].join('\n\n')
}

function summary(quadrants: readonly Quadrant[]): string {
	return ['| Client and server | Requirements | Pass |', '|---|---|---|', ...quadrants.map(summaryRow)].join(
		'\n',
	)
}

/** The line of the summary for one run. */
export function summaryRow({ title, requirements, results }: Quadrant): string {
	const required = results.filter((result) => result.required)
	const passing = required.filter(({ failed }) => failed === 0)
	return `| ${title} | ${requirements} | ${passing.length} of ${required.length} |`
}

function list(): string {
	return impossible
		.map(
			({ requirements, fixture, scenario, reason }) =>
				`- \`${scenario}\` (${requirements}, ${fixture} server): ${reason}`,
		)
		.join('\n')
}

function details(set: RequirementSet, quadrants: readonly Quadrant[]): string {
	const columns = quadrants.filter(({ requirements }) => requirements === set)
	const heads = columns.map(({ through, fixture }) =>
		through === 'direct' ? 'by itself' : through === 'gateway' ? serverName[fixture] : 'through the gateway',
	)
	const rows = (columns[0]?.results ?? []).map(({ scenario, required }) => {
		const cells = columns.map(({ results }) => cell(results.find((each) => each.scenario === scenario)))
		return `| ${scenario}${required ? '' : ' (not required)'} | ${cells.join(' | ')} |`
	})
	const line = `|---|${heads.map(() => '---|').join('')}`
	return [`| Scenario | ${heads.join(' | ')} |`, line, ...rows].join('\n')
}

function isServerSide({ through }: Quadrant): boolean {
	return through !== 'connector'
}

function cell(result: ScenarioResult | undefined): string {
	if (!result) return 'not run'
	return result.failed === 0 ? 'passes' : 'fails'
}
