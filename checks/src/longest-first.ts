import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, with their seconds on two cores. Vitest itself knows how long files took last time, but not
 * in a fresh clone; a long file that begins last keeps one core waiting for the whole of it.
 */
const seconds: Record<string, number> = {
	'checks/system/dashboard-spotlight.test.ts': 80,
	'checks/system/guides.test.ts': 70,
	'checks/system/crash.test.ts': 60,
	'checks/system/dashboard.test.ts': 60,
	'sdk/python/python.slow.test.ts': 60,
	'checks/system/dashboard-objects.test.ts': 45,
	'checks/system/operator-questions.test.ts': 45,
	'server/src/telemetry/forwarders/forwarders.test.ts': 45,
	'checks/system/dashboard-upstreams.test.ts': 40,
	'checks/system/dashboard-administration.test.ts': 35,
	'checks/system/openapi-fuzz.test.ts': 30,
	'checks/system/dashboard-approvals.test.ts': 30,
	'checks/system/backup.test.ts': 30,
	'checks/system/power-cut.test.ts': 30,
	'server/src/insights/alerts/alerts.test.ts': 30,
	'server/src/operate/cli/commands.slow.test.ts': 25,
	'checks/system/gateway-mix-up.test.ts': 20,
	'checks/system/identity-matrix.test.ts': 20,
	'checks/system/workers.test.ts': 20,
	'server/src/insights/spotlight/rollups/differential.slow.test.ts': 20,
	'server/src/insights/spotlight/recompute.slow.test.ts': 20,
	'server/src/operate/cli/config-as-code/config-as-code.slow.test.ts': 12,
	'checks/system/gateway-clients.test.ts': 10,
	'checks/system/session-survival.test.ts': 8,
	'checks/security/class01-no-default-secret.test.ts': 8,
}

/** What starts whole programs comes before what does not; `unit` is last, as its files share workers and are the shortest. */
const order = ['system', 'security', 'slow', 'dashboard', 'unit']

/** Begins with the files that take longest; the others follow by project, in Vitest's order. */
export class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const rest = await super.sort(files)
		return rest.toSorted(
			(a, b) => secondsOf(b) - secondsOf(a) || order.indexOf(a.project.name) - order.indexOf(b.project.name),
		)
	}
}

function secondsOf({ moduleId }: TestSpecification): number {
	return Object.entries(seconds).find(([file]) => moduleId.endsWith(`/${file}`))?.[1] ?? 0
}
