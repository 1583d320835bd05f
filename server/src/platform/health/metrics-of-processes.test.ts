import { expect, it } from 'vitest'
import { createMetrics, mergeMetrics } from './metrics.ts'

const text = (rows: number) => `# HELP rows Rows
# TYPE rows gauge
rows ${rows}
# HELP took_seconds How long
# TYPE took_seconds histogram
took_seconds_bucket{le="0.1",kind="a b"} ${rows}
took_seconds_count{kind="a b"} ${rows}
`

it('the metrics of several processes are merged, each sample labelled with its process number', () => {
	expect(
		mergeMetrics([
			[0, text(1)],
			[1, text(2)],
			[2, ''],
		]),
	).toBe(`# HELP rows Rows
# TYPE rows gauge
rows{process="0"} 1
rows{process="1"} 2
# HELP took_seconds How long
# TYPE took_seconds histogram
took_seconds_bucket{process="0",le="0.1",kind="a b"} 1
took_seconds_count{process="0",kind="a b"} 1
took_seconds_bucket{process="1",le="0.1",kind="a b"} 2
took_seconds_count{process="1",kind="a b"} 2
`)
})

it('what grows from zero is a counter too, named as Prometheus expects, and keeps its earlier name', async () => {
	const metrics = createMetrics()
	const read = () => [{ labels: { kind: 'a' }, value: 3 }]
	metrics.add([
		{ name: 'apples_sent', help: 'Sent', read: () => 2, grows: true },
		{ name: 'apples_refused', help: 'Refused', labels: ['kind'], read, grows: true },
		{ name: 'apples_waiting', help: 'Waiting', read: () => 1 },
	])
	// A second reading must not add to the first.
	await metrics.render()
	const { contentType, text } = await metrics.render()
	expect(contentType).toContain('text/plain; version=0.0.4')
	const own = text.split('\n').filter((line) => line.includes('apples_') && !line.startsWith('# HELP'))
	expect(own).toEqual([
		'# TYPE apples_sent gauge',
		'apples_sent 2',
		'# TYPE apples_sent_total counter',
		'apples_sent_total 2',
		'# TYPE apples_refused gauge',
		'apples_refused{kind="a"} 3',
		'# TYPE apples_refused_total counter',
		'apples_refused_total{kind="a"} 3',
		'# TYPE apples_waiting gauge',
		'apples_waiting 1',
	])
})
