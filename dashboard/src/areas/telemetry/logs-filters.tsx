import type { ReactNode } from 'react'
import { api, unwrap } from '../../api.ts'
import type { TimeRange } from '../../lib/time-range.ts'
import { DelayedSearch } from '../../ui/delayed-search.tsx'
import { FilterSelect } from '../../ui/filter-row.tsx'
import { AttributeFilters } from './attribute-filters.tsx'
import { type LogsSearch, parseLogsSearch, severities, severityName } from './logs-search.ts'
import { ServiceSelect } from './service-select.tsx'

interface Props {
	search: LogsSearch
	range: TimeRange
	onChange(search: LogsSearch): void
	/** The records. */
	children: ReactNode
}

export function LogsFilters({ search, range, onChange, children }: Props) {
	const set = (change: Record<string, unknown>) => onChange(parseLogsSearch({ ...search, ...change }))
	const { start: _start, end: _end, paused: _paused, ...filter } = search
	const asked = { ...range, ...filter }
	const named = (['event_name', 'trace_id'] as const).flatMap((name) => {
		const text = search[name]
		return text ? [{ name: name.replace('_', ' '), text, onRemove: () => set({ [name]: '' }) }] : []
	})
	const { severity_min, service, event_name } = search
	return (
		<AttributeFilters
			attributes={search.attribute ?? []}
			fields={{ severity: severity_min ? severityName(severity_min) : undefined, service, event_name }}
			onChange={({ attributes, field }) => {
				if (field?.name === 'severity')
					return set({ severity_min: severities.find(([, name]) => name === field.value)?.[0] })
				set(field ? { [field.name]: field.value } : { attribute: attributes })
			}}
			facets={{
				counts: 'records',
				queryKey: ['facets', 'logs', asked],
				queryFn: () => unwrap(api.GET('/v1/telemetry/logs/facets', { params: { query: asked } })),
			}}
			others={named}
			inputs={
				<>
					<DelayedSearch
						label="Record text"
						value={search.text ?? ''}
						onChange={(text) => set({ text })}
						className="w-full max-w-none sm:w-64"
					/>
					<FilterSelect
						label="Severity"
						all="All severities"
						options={severities
							.slice(1)
							.map(([number, name]) => [String(number), name === 'FATAL' ? name : `${name} and worse`])}
						className="w-36!"
						value={severity_min?.toString()}
						onChange={(chosen) => set({ severity_min: chosen })}
					/>
					<ServiceSelect value={service} onChange={(next) => set({ service: next })} />
				</>
			}
		>
			{children}
		</AttributeFilters>
	)
}
