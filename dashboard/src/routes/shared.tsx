import { createFileRoute } from '@tanstack/react-router'
import { SharedScreen } from '../areas/sharing/shared-screen.tsx'

export const Route = createFileRoute('/shared')({ component: SharedScreen })
