import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { InlineError } from '../../ui/states.tsx'
import { useMe } from '../identity/session.ts'
import { enterWorkspace } from '../workspace/enter-workspace.ts'
import { type Demo, demoKey, demoQuery } from './queries.ts'

const refreshMs = { none: 3_000, making: 1_000, ready: false, failed: false } as const

/** For operators, in a workspace without any data: a button that creates a day of sample traffic. */
export function DemoOffer() {
	const { operator } = useMe()
	const { data } = useQuery({
		...demoQuery,
		enabled: operator,
		// A start with `--demo` creates it without this button.
		refetchInterval: ({ state }) => refreshMs[state.data?.state ?? 'none'],
	})
	const queries = useQueryClient()
	const make = useMutation({
		mutationFn: () => unwrap(api.POST('/v1/demo')),
		onSuccess: (demo) => queries.setQueryData(demoKey, demo),
	})
	// Somebody who waited for the demo is led into it, even if it was completed between two polls. A demo that existed before is only
	// offered.
	const hasWaited = useRef(false)
	useEffect(() => {
		if (!data) return
		if (data.state !== 'ready') hasWaited.current = true
		else if (hasWaited.current) enterWorkspace(data.workspace_id ?? '')
	}, [data])
	if (!operator || !data) return null
	return (
		<div className="flex flex-wrap items-center justify-center gap-2">
			<DemoStep demo={data} make={() => make.mutate()} busy={make.isPending} />
			{make.error && <InlineError error={make.error} />}
		</div>
	)
}

function DemoStep({ demo, make, busy }: { demo: Demo; make(): void; busy: boolean }) {
	if (demo.state === 'making')
		return (
			<p role="status" className="flex min-h-9 items-center gap-2 text-ink-2">
				<span aria-hidden="true" className="size-2 animate-pulse rounded-full bg-warn" />
				Creating the demo…
			</p>
		)
	if (demo.state === 'ready')
		return (
			<Button onClick={() => enterWorkspace(demo.workspace_id ?? '')}>
				<Icon name="check" className="text-ok" />
				Open the demo
			</Button>
		)
	return (
		<Button busy={busy} onClick={make}>
			Explore the demo
		</Button>
	)
}
