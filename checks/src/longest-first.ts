import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, with their seconds on two cores. Vitest itself knows how long files took last time, but not
 * in a fresh clone; a long file that begins last keeps one core waiting for the whole of it.
 */
const seconds: Record<string, number> = {
	'checks/system/dashboard-spotlight.test.ts': 65,
	'checks/system/dashboard-reader.test.ts': 60,
	'checks/system/crash.test.ts': 50,
	'checks/system/dashboard.test.ts': 45,
	'checks/system/dashboard-objects.test.ts': 40,
	'checks/system/conformance.test.ts': 38,
	'checks/system/dashboard-administration.test.ts': 37,
	'checks/system/operator-questions.test.ts': 65,
	'checks/system/gateway-clients.test.ts': 36,
	'sdk/python/python.slow.test.ts': 35,
	'checks/system/dashboard-upstreams.test.ts': 35,
	'checks/system/openapi-fuzz.test.ts': 32,
	'checks/system/guides.test.ts': 30,
	'server/src/telemetry/forwarders/forwarders.test.ts': 29,
	'checks/system/power-cut.test.ts': 29,
	'server/src/gateway/upstream-zoo.slow.test.ts': 26,
	'checks/system/first-hour.test.ts': 25,
	'checks/system/dashboard-approvals.test.ts': 24,
	'checks/security/canary-secrets.test.ts': 23,
	'checks/system/dashboard-alerts.test.ts': 22,
	'checks/system/gateway-mix-up.test.ts': 22,
	'server/src/insights/webhooks/deliveries.slow.test.ts': 20,
	'server/src/operate/cli/config-as-code/config-as-code.slow.test.ts': 20,
	'server/src/operate/demo/demo.slow.test.ts': 19,
	'checks/system/backup.test.ts': 18,
	'checks/system/workers.test.ts': 18,
	'checks/system/identity-matrix.test.ts': 18,
	'checks/system/dashboard-people.test.ts': 18,
	'sdk/typescript/src/hosts.slow.test.ts': 18,
	'server/src/platform/clickhouse/embedded/supervisor.slow.test.ts': 17,
	'checks/system/session-survival.test.ts': 16,
	'server/src/servers/far-servers.test.ts': 16,
	'checks/system/stale-permissions.test.ts': 15,
	'server/src/insights/alerts/alerts.test.ts': 15,
	'server/src/insights/spotlight/breakdowns.test.ts': 12,
	'sdk/typescript/src/faults.test.ts': 10,
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
