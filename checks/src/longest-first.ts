import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, with their seconds on two cores. Vitest itself knows how long files took last time, but not
 * in a fresh clone; a long file that begins last keeps one core waiting for the whole of it.
 */
const seconds: Record<string, number> = {
	'checks/system/crash.test.ts': 69,
	'checks/system/dashboard-spotlight.test.ts': 59,
	'checks/system/dashboard-reader.test.ts': 59,
	'checks/system/conformance.test.ts': 51,
	'checks/system/operator-questions.test.ts': 41,
	'sdk/python/python.slow.test.ts': 39,
	'checks/system/openapi-fuzz.test.ts': 34,
	'server/src/telemetry/recorder/failing-calls.slow.test.ts': 32,
	'checks/system/dashboard-administration.test.ts': 32,
	'checks/system/dashboard.test.ts': 31,
	'checks/system/dashboard-objects.test.ts': 31,
	'checks/system/guides.test.ts': 27,
	'checks/system/backup.test.ts': 24,
	'checks/system/dashboard-upstreams.test.ts': 24,
	'server/src/gateway/upstream-zoo.slow.test.ts': 24,
	'server/src/operate/cli/cli-operations.slow.test.ts': 23,
	'server/src/operate/demo/demo.slow.test.ts': 22,
	'checks/system/dashboard-alerts.test.ts': 21,
	'checks/system/gateway-clients.test.ts': 20,
	'checks/system/identity-matrix.test.ts': 20,
	'checks/system/gateway-mix-up.test.ts': 19,
	'checks/system/power-cut.test.ts': 17,
	'sdk/typescript/src/hosts.slow.test.ts': 16,
	'server/src/telemetry/recorder/failing-disk.slow.test.ts': 16,
	'server/src/accounts/identity/accounts/throttle/throttle.slow.test.ts': 16,
	'server/src/platform/database/migrate.slow.test.ts': 16,
	'server/src/operate/cli/config-as-code/config-as-code.slow.test.ts': 16,
	'checks/system/house-hops.test.ts': 16,
	'server/src/telemetry/forwarders/forwarders.test.ts': 16,
	'checks/system/dashboard-people.test.ts': 15,
	'checks/security/canary-secrets.test.ts': 15,
	'server/src/operate/cli/rotate-master-key.slow.test.ts': 14,
	'server/src/insights/spotlight/rollups/differential.slow.test.ts': 13,
	'checks/system/bad-input.test.ts': 13,
	'server/src/access/grants/scale.slow.test.ts': 13,
	'checks/system/dashboard-approvals.test.ts': 13,
	'server/src/access/review/simulate/replay.slow.test.ts': 13,
	'server/src/telemetry/recorder/crash.slow.test.ts': 13,
	'server/src/servers/scale.slow.test.ts': 12,
	'checks/system/full-log.test.ts': 12,
	'server/src/telemetry/recorder/shipping.slow.test.ts': 12,
	'server/src/telemetry/erasures/erasures.test.ts': 12,
	'server/src/insights/spotlight/joins/join-arrived.test.ts': 12,
	'server/src/accounts/audit/tampering.slow.test.ts': 11,
	'server/src/telemetry/renormalise/renormalise.test.ts': 10,
	'sdk/typescript/src/faults.test.ts': 10,
	'server/src/insights/spotlight/breakdowns.test.ts': 9,
	'server/src/insights/spotlight/merge-views.test.ts': 9,
	'server/src/insights/alerts/alerts.test.ts': 8,
	'server/src/servers/far-servers.test.ts': 8,
	'server/src/telemetry/arrivals/arrivals.test.ts': 8,
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
