import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { DisclosureButton } from '../../ui/disclosure.tsx'
import { InlineError, SkeletonRows } from '../../ui/states.tsx'
import { ToolChecklist } from '../access-grants/tool-checklist.tsx'
import { toolsQuery } from '../servers/queries.ts'

interface ServerToolsProps {
	serverId: string
	name: string
	chosen: readonly string[]
	disabled: boolean
	/** Null removes the server. */
	onChange(names: string[] | null): void
}

/** The tools of one server that are in the toolset, including those that the server no longer offers. */
export function ServerTools({ serverId, name, chosen, disabled, onChange }: ServerToolsProps) {
	const [isOpen, setIsOpen] = useState(chosen.length === 0)
	const { data, error } = useQuery(toolsQuery(serverId))
	const offered = data?.tools ?? []
	const gone = chosen.filter((tool) => !offered.some((one) => one.name === tool))
	const tools = [
		...offered,
		...(data ? gone.map((tool) => ({ name: tool, description: 'The server does not offer it now.' })) : []),
	]
	return (
		<section aria-label={`Tools of ${name}`} className="rounded-lg border border-line">
			<div className="flex items-center gap-2 pr-2">
				<DisclosureButton isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)} name={name}>
					<span className="whitespace-nowrap text-ink-2">
						{chosen.length}
						{data && ` of ${offered.length}`} {offered.length === 1 ? 'tool' : 'tools'}
					</span>
				</DisclosureButton>
				<IconButton
					icon="trash"
					label={`Take ${name} out`}
					disabled={disabled}
					onClick={() => onChange(null)}
				/>
			</div>
			{isOpen && (
				<div className="grid gap-2 border-t border-line p-3">
					{error && !data ? (
						<InlineError error={error} />
					) : !data ? (
						<SkeletonRows />
					) : (
						<>
							<div className="flex gap-2">
								<Button
									small
									disabled={disabled}
									onClick={() => onChange([...new Set([...gone, ...offered.map((tool) => tool.name)])])}
								>
									Choose all
								</Button>
								<Button small disabled={disabled} onClick={() => onChange([])}>
									Choose none
								</Button>
							</div>
							<ToolChecklist
								tools={tools}
								isChecked={(tool) => chosen.includes(tool)}
								disabled={disabled}
								onChange={(tool, on) =>
									onChange(on ? [...chosen, tool] : chosen.filter((other) => other !== tool))
								}
							/>
						</>
					)}
				</div>
			)}
		</section>
	)
}
