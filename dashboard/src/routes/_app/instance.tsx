import { createFileRoute } from '@tanstack/react-router'
import { InstanceScreen } from '../../areas/instance/instance-screen.tsx'
import { parseInstanceSearch } from '../../areas/instance/instance-search.ts'

export const Route = createFileRoute('/_app/instance')({
	validateSearch: parseInstanceSearch,
	component: InstanceScreen,
})
