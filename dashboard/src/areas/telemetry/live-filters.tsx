import { spanStatuses, spanStatusMeanings } from '@signalbox/contract/span-status'
import { SearchInput } from '../../ui/field.tsx'
import { FilterRow, FilterSelect } from '../../ui/filter-row.tsx'
import { kindName } from './describe-span.ts'
import { kinds, type LiveFilter, parseLiveFilter } from './live-filter.ts'

export function LiveFilters({
	filter,
	onChange,
}: {
	filter: LiveFilter
	onChange(filter: LiveFilter): void
}) {
	const set = (change: Record<string, string>) => onChange(parseLiveFilter({ ...filter, ...change }))
	return (
		<FilterRow className="mb-3">
			<SearchInput
				label="Filter by agent, tool, model, session…"
				value={filter.q ?? ''}
				onChange={(event) => set({ q: event.target.value })}
				className="max-w-none sm:w-72"
			/>
			<FilterSelect
				label="Kind"
				all="All kinds"
				options={kinds.map((kind) => [kind, kindName[kind]])}
				value={filter.kind}
				onChange={(kind) => set({ kind })}
			/>
			<FilterSelect
				label="Outcome"
				all="All outcomes"
				options={spanStatuses.map((status) => [status, status, spanStatusMeanings[status]])}
				value={filter.status}
				onChange={(status) => set({ status })}
			/>
		</FilterRow>
	)
}
