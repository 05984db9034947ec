"""The Tune workspace: parameter sweeps with live plots of one `point_set.PointSet`, and a parameter search."""
