import { DelayedSearch } from '../../ui/delayed-search.tsx'
import { Select } from '../../ui/field.tsx'
import { AttributeFilters } from './attribute-filters.tsx'
import { type LogsSearch, parseLogsSearch, severities } from './logs-search.ts'
import { ServiceSelect } from './service-select.tsx'

interface Props {
	search: LogsSearch
	onChange(search: LogsSearch): void
}

export function LogsFilters({ search, onChange }: Props) {
	const set = (change: Record<string, unknown>) => onChange(parseLogsSearch({ ...search, ...change }))
	const named = (['event_name', 'trace_id'] as const).flatMap((name) => {
		const text = search[name]
		return text ? [{ name: name.replace('_', ' '), text, onRemove: () => set({ [name]: '' }) }] : []
	})
	return (
		<AttributeFilters
			attributes={search.attribute ?? []}
			onChange={(attribute) => set({ attribute })}
			others={named}
		>
			<DelayedSearch
				label="Text of the record"
				value={search.text ?? ''}
				onChange={(text) => set({ text })}
				className="w-full max-w-none sm:w-64"
			/>
			<Select
				aria-label="Severity"
				className="w-36!"
				value={search.severity_min ?? ''}
				onChange={(event) => set({ severity_min: event.target.value })}
			>
				<option value="">All severities</option>
				{severities.slice(1).map(([number, name]) => (
					<option key={number} value={number}>
						{name === 'FATAL' ? name : `${name} and worse`}
					</option>
				))}
			</Select>
			<ServiceSelect value={search.service} onChange={(service) => set({ service })} />
		</AttributeFilters>
	)
}
