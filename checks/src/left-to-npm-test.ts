/**
 * Files of the project `unit` that `npm run verify` leaves out: they wait for real receivers and their back-off, kill, or ask
 * the engine hundreds of questions.
 */
export const leftToNpmTest = [
	'server/src/access/review/simulate/simulate.test.ts',
	'server/src/insights/alerts/alerts.test.ts',
	'server/src/telemetry/forwarders/forwarders.test.ts',
	'server/src/platform/crypto/password-hasher.test.ts',
	'server/src/insights/spotlight/{breakdowns,derived-sessions,merge-views}.test.ts',
	'server/src/insights/spotlight/rollups/{rollups,roll-open-hours}.test.ts',
	'server/src/telemetry/{erasures/erasures,renormalise/renormalise}.test.ts',
]
