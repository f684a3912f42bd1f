import { Component, type ReactNode } from "react";
import { Failure } from "../ui/States";

/** A fault is told where it is: one in a page leaves the frame around it working, and none leaves the window blank. */
export class Crash extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return <Failure error={this.state.error} onRetry={() => this.setState({ error: null })} />;
  }
}
