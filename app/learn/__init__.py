"""The Learn workspace: classes of dynamic programming, walkthroughs, lectures, exercises and GPU guidelines."""
