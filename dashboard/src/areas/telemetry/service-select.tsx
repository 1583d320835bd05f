import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { FilterSelect } from '../../ui/filter-row.tsx'

const resourcesQuery = {
	queryKey: ['telemetry', 'resources'],
	queryFn: () => unwrap(api.GET('/v1/telemetry/resources', { params: { query: { start: '-30d' } } })),
	staleTime: 60_000,
}

/** One of the services that sent telemetry in the last 30 days. */
export function ServiceSelect({
	value,
	onChange,
}: {
	value: string | undefined
	onChange(service: string): void
}) {
	const { data } = useQuery(resourcesQuery)
	const found = (data?.resources ?? []).flatMap(({ service_name }) => service_name ?? [])
	const names = [...new Set(value ? [value, ...found] : found)].sort()
	return (
		<FilterSelect
			label="Service"
			all="All services"
			options={names.map((name) => [name, name])}
			className="w-40!"
			value={value}
			onChange={onChange}
		/>
	)
}
