import { useQuery } from '@tanstack/react-query'
import { Field, Select } from '../../ui/field.tsx'
import { toolsQuery } from '../servers/queries.ts'

interface ToolSelectProps {
	serverId: string
	/** '': all tools of the server. */
	value: string
	onChange(tool: string): void
}

/** One tool of a server, or all of them. A tool that the server does not offer can stay selected, because it may be added later. */
export function ToolSelect({ serverId, value, onChange }: ToolSelectProps) {
	const { data } = useQuery(toolsQuery(serverId))
	const names = (data?.tools ?? []).map(({ name }) => name)
	const isUnknown = value !== '' && !names.includes(value)
	const warning = data && isUnknown ? `The server offers no tool named ${value} now.` : undefined
	return (
		<Field label="Tool" error={warning}>
			{(field) => (
				<Select {...field} value={value} onChange={(event) => onChange(event.target.value)}>
					<option value="">All tools, including future ones</option>
					{(isUnknown ? [value, ...names] : names).map((name) => (
						<option key={name} value={name}>
							{name}
						</option>
					))}
				</Select>
			)}
		</Field>
	)
}
