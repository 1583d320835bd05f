import { spanStatuses, spanStatusMeanings } from '@signalbox/contract/span-status'
import { SearchInput, Select } from '../../ui/field.tsx'
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
		<div className="mb-3 flex flex-wrap gap-2">
			<SearchInput
				label="Filter by agent, tool, model, session…"
				value={filter.q ?? ''}
				onChange={(event) => set({ q: event.target.value })}
				className="w-full max-w-none sm:w-72"
			/>
			<Select
				aria-label="Kind"
				className="w-36!"
				value={filter.kind ?? ''}
				onChange={(event) => set({ kind: event.target.value })}
			>
				<option value="">All kinds</option>
				{kinds.map((kind) => (
					<option key={kind} value={kind}>
						{kindName[kind]}
					</option>
				))}
			</Select>
			<OutcomeSelect value={filter.status} onChange={(status) => set({ status })} />
		</div>
	)
}

/** The outcome of spans; undefined for all outcomes. */
function OutcomeSelect({ value, onChange }: { value: string | undefined; onChange(status: string): void }) {
	return (
		<Select
			aria-label="Outcome"
			className="w-36!"
			value={value ?? ''}
			onChange={(event) => onChange(event.target.value)}
		>
			<option value="">All outcomes</option>
			{spanStatuses.map((status) => (
				<option key={status} value={status} title={spanStatusMeanings[status]}>
					{status}
				</option>
			))}
		</Select>
	)
}
